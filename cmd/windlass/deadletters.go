package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const deadLettersPath = "/windlass/v1/dead_letters"

// deadLetter is a notification that Windlass does not try to deliver any more.
type deadLetter struct {
	ID               int64              `json:"id"`
	SubscriptionID   string             `json:"subscriptionId"`
	NotificationType string             `json:"notificationType"`
	TimeStamp        time.Time          `json:"timeStamp"`
	VnfInstanceID    string             `json:"vnfInstanceId"`
	VnfPkgID         string             `json:"vnfPkgId"`
	VnfLcmOpOccID    string             `json:"vnfLcmOpOccId"`
	OperationState   lcm.OperationState `json:"operationState"`
	Attempts         int                `json:"attempts"`
	LastError        string             `json:"lastError"`
}

// about is the resource that the notification is about, as -o name prints it.
func (d deadLetter) about() string {
	switch {
	case d.VnfLcmOpOccID != "":
		return "op/" + d.VnfLcmOpOccID
	case d.VnfInstanceID != "":
		return "vnf/" + d.VnfInstanceID
	case d.VnfPkgID != "":
		return "package/" + d.VnfPkgID
	}
	return ""
}

// deadLetterKind is the type of dead letters in the output of -o name.
const deadLetterKind = "dead-letter"

func newDeadLetters(c *cli) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "dead-letters",
		Short: "List notifications that could not be delivered",
		Long: `List the dead letters, the oldest first: notifications that their subscribers did not take within
notifications.retryFor. Windlass does not try to deliver them any more, until 'windlass subscription redeliver'.`,
		Example: "  windlass subscription dead-letters\n  windlass subscription dead-letters -o wide",
		Args:    exactly(),
	}
	f.addListFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return showList(cmd, c, f, deadLetterTable(), c.listDeadLetters)
	}
	return cmd
}

// deadLettersAtOnce is the number of dead letters in an answer of the API.
const deadLettersAtOnce = 1000

// listDeadLetters reads all dead letters, an answer after the other.
func (c *cli) listDeadLetters(ctx context.Context) ([]json.RawMessage, error) {
	all := []json.RawMessage{}
	for after := int64(0); ; {
		var some []json.RawMessage
		path := fmt.Sprintf("%s?limit=%d&after=%d", deadLettersPath, deadLettersAtOnce, after)
		if err := c.client.get(ctx, path, &some); err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) < deadLettersAtOnce {
			return all, nil
		}
		last, err := decode[deadLetter](some[len(some)-1])
		if err != nil {
			return nil, err
		}
		after = last.ID
	}
}

func deadLetterTable() table[deadLetter] {
	return table[deadLetter]{
		kind: deadLetterKind, id: func(d deadLetter) string { return strconv.FormatInt(d.ID, 10) },
		columns: []column[deadLetter]{
			{name: "NUMBER", of: func(d deadLetter) any { return d.ID }},
			{name: "TIME", of: func(d deadLetter) any { return d.TimeStamp.UTC().Format(time.RFC3339) }},
			{name: "SUBSCRIPTION", of: func(d deadLetter) any { return d.SubscriptionID }},
			{name: "ABOUT", of: func(d deadLetter) any { return d.about() }},
			{name: "STATE", of: func(d deadLetter) any { return d.OperationState }},
			{name: "ATTEMPTS", of: func(d deadLetter) any { return d.Attempts }},
			{name: "LAST ERROR", of: func(d deadLetter) any { return d.LastError }},
			{name: "NOTIFICATION", of: func(d deadLetter) any { return d.NotificationType }, wide: true},
		},
	}
}

func newRedeliver(c *cli) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "redeliver NUMBER...",
		Short: "Deliver dead letters again",
		Long: `Put dead letters back in front of the notifications that wait for their subscriber. NUMBER is the number of a
dead letter in 'windlass subscription dead-letters'. The id of the notification stays the same.`,
		Example: "  windlass subscription redeliver 812 813\n  windlass subscription redeliver --all",
		Args:    cobra.ArbitraryArgs, // --all takes none
	}
	cmd.Flags().BoolVar(&all, "all", false, "deliver all dead letters again")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case all && len(args) > 0:
			return usageErrorf(cmd, "Give either NUMBER or --all.")
		case !all && len(args) == 0:
			return usageErrorf(cmd, "NUMBER is missing. --all delivers all dead letters again.")
		case all:
			return c.redeliverAll(cmd.Context())
		}
		for _, arg := range args {
			number := strings.TrimPrefix(arg, deadLetterKind+"/")
			if err := c.redeliver(cmd.Context(), number); err != nil {
				return err
			}
			c.confirm("Windlass delivers the dead letter %s again.", number)
		}
		return nil
	}
	return cmd
}

func (c *cli) redeliver(ctx context.Context, number string) error {
	_, err := c.client.send(ctx, http.MethodPost, deadLettersPath+"/"+url.PathEscape(number)+"/redeliver", nil, nil)
	return err
}

// redeliverAll delivers again what is dead now, in its order. A dead letter that somebody else has delivered or deleted
// meanwhile is passed over.
func (c *cli) redeliverAll(ctx context.Context) error {
	raw, err := c.listDeadLetters(ctx)
	if err != nil {
		return err
	}
	letters, err := decodeAll[deadLetter](raw)
	if err != nil {
		return err
	}
	again := 0
	for _, d := range letters {
		switch err := c.redeliver(ctx, strconv.FormatInt(d.ID, 10)); {
		case err == nil:
			again++
		case statusOf(err) != http.StatusNotFound:
			return err
		}
	}
	c.confirm("Dead letters that Windlass delivers again: %d.", again)
	return nil
}

// statusOf is the status of the API's answer; 0 if the error is none.
func statusOf(err error) int {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.Status
	}
	return 0
}

// findDeadLetters finds the numbers of dead letters for the shell.
func findDeadLetters(ctx context.Context, c *cli, _ typed) (found []candidate, _ error) {
	letters, err := read[deadLetter](ctx, c, deadLettersPath)
	for _, d := range letters {
		found = append(found, candidate{strconv.FormatInt(d.ID, 10), d.about() + " " + d.LastError})
	}
	return found, err
}
