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

// From this many minutes on, the time left counts as short.
export const soonMinutes = 5
