// People at the dashboard of a server: signed in without the cost of a password, and a browser without script in their name.

import type { Mode, Role } from '../src/contract/words.ts'
import { createSession } from '../src/domain/users/sessions.ts'
import { createUser } from '../src/domain/users/users.ts'
import { type Scriptless, scriptless } from './scriptless.ts'
import { type TestServer, testSecret } from './testServer.ts'

export interface DashboardUser {
  userId: string
  email: string
  // The session's token, for use in another browser.
  token: string
  headers: Readonly<Record<'cookie' | 'origin', string>>
  page: Scriptless
  // Addresses of the server's shop in the mode of its installation.
  path(path: string): string
}

// What every page of the dashboard has. To axe it is a third of most pages.
export const frameParts = ['#side', 'header.top']

let people = 0

export async function dashboardUserOf(
  testServer: TestServer,
  {
    role = 'owner',
    slug = 'bloom',
    merchantId = testServer.merchantId,
    mode = 'test',
    passwordHash = 'x',
  }: DashboardUserInput = {},
): Promise<DashboardUser> {
  const email = `${role}${people++}@bloom.example`
  const made = await testServer.storage.write(async (tx) => {
    const user = await createUser(
      tx,
      testSecret,
      { email, passwordHash, merchantIds: [merchantId], role },
      testServer.clock.now,
    )
    const input = { userId: user.id, passwordHash, userAgent: 'Firefox/1 Linux', hasSecondFactor: false }
    const session = await createSession(tx, input, testServer.clock.now)
    if (!session) throw new Error('no session')
    return { userId: user.id, token: session.token }
  })
  const headers = { cookie: `staff_session=${made.token}`, origin: testServer.origin }
  return {
    ...made,
    email,
    headers,
    page: scriptless(testServer.origin, headers),
    path: (path) => `/admin/${slug}${mode === 'test' ? '/test' : ''}/${path}`,
  }
}

interface DashboardUserInput {
  role?: Role
  slug?: string
  merchantId?: string
  mode?: Mode
  // What their password is compared with (default: no password fits).
  passwordHash?: string
}
