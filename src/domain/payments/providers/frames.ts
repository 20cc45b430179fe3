// The scripts that put a provider's frame into our pay page, by the provider's name. They are served from our own origin, and import
// nothing of the provider's server code.

export const frameScripts: Readonly<Record<string, URL>> = {
  stripe: new URL('stripe/browser/frame.ts', import.meta.url),
}
