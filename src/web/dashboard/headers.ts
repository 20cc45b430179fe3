// The headers of every page of the dashboard. Inline scripts and styles are forbidden.

import { privateHeaders, self } from '../../platform/html/policy.ts'

export const speculationPath = '/admin/speculation.json'

export const dashboardHeaders: Readonly<Record<string, string>> = {
  ...privateHeaders({
    style: [self],
    script: [self],
    connect: [self],
    form: [self],
    // Pictures of products may be on other hosts.
    img: [self, 'data:', 'https:'],
    // For the preview of the online store.
    frame: [self],
  }),
  // Only with this policy do browsers name the origin when posting this server's forms (Fetch, 3.2).
  'referrer-policy': 'same-origin',
  vary: 'accept-language, cookie',
}
