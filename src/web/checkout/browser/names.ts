// Names that the checkout's pages and their script share.

// Kind of page: the attribute `data-state` of its body.
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

// Also the answer to the script's poll for the state of a session.
export type SessionState = 'open' | 'processing' | 'completed' | 'cancelled' | 'expired' | 'challenge' | 'redirect'

// Intents of the details form other than saving.
export type DetailsIntent = 'country' | 'time'

// Time left from which it counts as short.
export const soonMinutes = 5
