// The style sheets and scripts of the checkout.

import { frameScripts } from '../../domain/payments/providers/frames.ts'
import { type ServedFile, serveScript as scriptFile, serveStyleSheet } from '../../platform/html/files.ts'

export const style = serveStyleSheet({
  path: '/checkout/style.css',
  name: 'checkout style',
  file: new URL('style.css', import.meta.url),
})

export const script = scriptFile({
  path: '/checkout/page.js',
  name: 'checkout script',
  file: new URL('browser/page.ts', import.meta.url),
})

// A second script, for passkeys of customer accounts.
export const customerPasskeyScript = scriptFile({
  path: '/checkout/passkey.js',
  name: 'checkout passkey script',
  file: new URL('../signin/page/browser/passkey.ts', import.meta.url),
})

// Scripts of the page that embeds a provider's frame, by the name of the provider.
export const frames: Readonly<Record<string, ServedFile>> = Object.fromEntries(
  Object.entries(frameScripts).map(([name, file]) => [
    name,
    scriptFile({ path: `/checkout/frame-${name}.js`, name: `checkout frame ${name}`, file }),
  ]),
)
