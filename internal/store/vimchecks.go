package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// refusedPause is the extra pause after a VIM has refused a password: repeated attempts with a wrong password can lock
// the account.
const refusedPause = 60

// DueVim takes the watched VIM whose last check is the oldest, if it is at least older ago. Otherwise it returns
// NotFound. No other caller gets the VIM until that time has passed again.
func (s *Store) DueVim(ctx context.Context, older time.Duration) (lcm.Vim, error) {
	return one(ctx, s.pool, scanVim, lcm.Errorf(lcm.KindNotFound, "No VIM is to be looked at."), `
		update vim set checked = clock_timestamp() where id = (
			select id from vim where type = any(@types) and checked < clock_timestamp() - @older::interval
				* case when last_check @> '{"denied": true}' and jsonb_exists(auth_cred, 'password') then @pause::int else 1 end
			order by checked limit 1 for update skip locked)
		returning `+vimColumns, pgx.NamedArgs{
		"types": lcm.VimTypesWith(func(k lcm.VimKind) bool { return k.Watched }), "older": older, "pause": refusedPause,
	})
}

// NoteVimCheck stores the result of a check of a VIM. The VIM keeps its version and its credentials. If the VIM changed
// since it was read, the result is out of date and is dropped.
func (s *Store) NoteVimCheck(ctx context.Context, v lcm.Vim) error {
	args := vimArgs(v)
	args["updated"] = v.Updated
	_, err := s.pool.Exec(ctx, `
		update vim set status = @status, regions = @regions, last_check = @check, checked = clock_timestamp()
		where id = @id and updated = @updated`, args)
	return interpret("note the look at a VIM", err)
}
