// Names shared by the checkout's pages and their script.

// Kinds of page: the attribute `data-state` of the body.
export type PageState =
  | SessionState
  | 'closed'
  | 'failed'
  | 'forbidden'
  | 'legal'
  | 'lost'
  | 'order'
  | 'refused'
  | 'return'
  | 'slow'
  | 'withdrawal'
  | 'contact'

// States of a session. The script's poll is answered with one.
export type SessionState = 'open' | 'processing' | 'completed' | 'cancelled' | 'expired' | 'challenge' | 'redirect'

// Intents of the details form besides saving.
export type DetailsIntent = 'country' | 'time'

// The page warns when at most this many minutes are left.
export const soonMinutes = 5
