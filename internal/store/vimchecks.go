package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// refusedPause is how much longer a VIM is left alone that has refused a password: whoever tries a wrong one again and
// again locks the account.
const refusedPause = 60

// DueVim takes the VIM, of those kinds that are watched, that nobody has looked at for the longest time, at least for
// older; it is NotFound when there is none. No other caller gets it before that time is over again.
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

// NoteVimCheck stores how a look at a VIM went. It is no change of the VIM: it keeps its version and its credentials.
// When the VIM was changed since it was read, the look was at what is no more, and is forgotten.
func (s *Store) NoteVimCheck(ctx context.Context, v lcm.Vim) error {
	args := vimArgs(v)
	args["updated"] = v.Updated
	_, err := s.pool.Exec(ctx, `
		update vim set status = @status, regions = @regions, last_check = @check, checked = clock_timestamp()
		where id = @id and updated = @updated`, args)
	return interpret("note the look at a VIM", err)
}
