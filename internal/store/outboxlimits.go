package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// OutboxLimits bound what subscribers that are away cost.
type OutboxLimits struct {
	// Waiting is the largest number of notifications that wait for a subscriber. The oldest of more become dead letters.
	// A subscription has as many dead letters at most; the oldest of more are forgotten.
	Waiting int
	// KeepFor is how old a dead letter may become.
	KeepFor time.Duration
}

// TrimOutbox applies the limits, and returns how many notifications became dead letters, and how many dead letters it
// has forgotten. Any number of workers may do so at once.
func (s *Store) TrimOutbox(ctx context.Context, l OutboxLimits) (buried, forgotten int64, err error) {
	args := pgx.NamedArgs{
		"most": l.Waiting, "keep": l.KeepFor,
		"why": fmt.Sprintf("More than %d notifications waited for the subscriber (notifications.waiting).", l.Waiting),
	}
	// For each subscription the index is read from its newest delivery.
	tag, err := s.pool.Exec(ctx, `
		with late as (
			select id as subscription, (
				select id from delivery
				where subscription_id = subscription.id and not dead order by id desc offset @most limit 1
			) as newest
			from subscription
		), chosen as (
			select id from delivery join late on subscription_id = late.subscription and id <= late.newest
			where not dead order by id for update of delivery skip locked
		)
		update delivery set dead = true, last_error = @why where id in (select id from chosen)`, args)
	if err != nil {
		return 0, 0, interpret("give up notifications that wait", err)
	}
	buried = tag.RowsAffected()
	tag, err = s.pool.Exec(ctx, `
		with letters as (
			select id as letter, since + @keep::interval <= clock_timestamp() as old,
				row_number() over (partition by subscription_id order by id desc) > @most as many
			from delivery where dead
		), chosen as (
			select id from delivery join letters on id = letter and (old or many)
			where dead order by id for update of delivery skip locked
		)
		delete from delivery where id in (select id from chosen)`, args)
	return buried, tag.RowsAffected(), interpret("forget dead letters", err)
}

// countSubscriptions refuses another subscription of a project that has most of them: Conflict. 0 is no limit.
func countSubscriptions(ctx context.Context, tx pgx.Tx, most int, args pgx.NamedArgs) error {
	if most == 0 {
		return nil
	}
	count := 0
	err := tx.QueryRow(ctx, `select count(*) from subscription where project_id = @owner`, args).Scan(&count)
	if err == nil && count >= most {
		return lcm.Errorf(lcm.KindConflict, "The project has %d subscriptions, the most that it may have "+
			"(notifications.subscriptions). Delete those that nobody needs.", count)
	}
	return err
}
