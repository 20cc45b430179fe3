// The paths of the pages of people.

// Paths of links in e-mails, by their kind; the token follows.
export const linkPaths = { invitation: '/admin/invitations', password_reset: '/admin/resets' } as const

// Path of the link that the first start prints.
export const setupPath = '/admin/setup'

export type StaffPageName =
  | 'home'
  | 'sign-in'
  | 'sign-out'
  | 'forgotten'
  | 'reset'
  | 'invitation'
  | 'setup'
  | 'account'
  | 'passkey options'
  | 'confirm'

export interface StaffPage {
  name: StaffPageName
  path: string
  methods: readonly ('GET' | 'POST')[]
}

const both = ['GET', 'POST'] as const

export const staffPages: readonly StaffPage[] = [
  { name: 'home', path: '/admin', methods: ['GET'] },
  { name: 'sign-in', path: '/admin/sign-in', methods: both },
  { name: 'sign-out', path: '/admin/sign-out', methods: ['POST'] },
  { name: 'forgotten', path: '/admin/forgotten', methods: both },
  { name: 'reset', path: `${linkPaths.password_reset}/:token`, methods: both },
  { name: 'invitation', path: `${linkPaths.invitation}/:token`, methods: both },
  { name: 'setup', path: `${setupPath}/:token`, methods: both },
  { name: 'account', path: '/admin/account', methods: ['GET'] },
  { name: 'passkey options', path: '/admin/passkeys/options', methods: ['POST'] },
  { name: 'confirm', path: '/admin/confirm', methods: both },
]
