// What the checkout and its script share.

// Which page this is: the attribute `data-state` of its body.
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

// Also the answer to the script that asks how a session stands.
export type SessionState = 'open' | 'processing' | 'completed' | 'cancelled' | 'expired' | 'challenge' | 'redirect'

// What the form of the details asks for besides saving them.
export type DetailsIntent = 'country' | 'time'

// The rest of the time that is called short.
export const soonMinutes = 5
