// The headers of every page of the dashboard. Nothing inline runs or styles.

import { privateHeaders, self } from '../../platform/html/policy.ts'

export const speculationPath = '/admin/speculation.json'

export const dashboardHeaders: Readonly<Record<string, string>> = {
  ...privateHeaders({
    style: [self],
    script: [self],
    connect: [self],
    form: [self],
    // Products may show pictures of other hosts.
    img: [self, 'data:', 'https:'],
    // The draft of the online store.
    frame: [self],
  }),
  // Browsers name the origin of our own forms only so (Fetch, 3.2).
  'referrer-policy': 'same-origin',
  vary: 'accept-language, cookie',
}
