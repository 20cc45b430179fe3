// The content security policy of a page and related headers. Everything is forbidden unless the page allows it.

import type { PageAnswer } from '../http/pages.ts'

export type Headers = Readonly<Record<string, string>>

// Sources that a page may load from, call and post to. `self` is the origin of this server.
export interface PolicySources {
  style?: readonly string[]
  // Only for style attributes.
  styleAttr?: readonly string[]
  img?: readonly string[]
  script?: readonly string[]
  connect?: readonly string[]
  frame?: readonly string[]
  form?: readonly string[]
}

export const self = "'self'"

export function contentSecurityPolicy(sources: PolicySources): string {
  const directives: readonly (readonly [name: string, allowed: readonly string[] | undefined])[] = [
    ['style-src', sources.style],
    ['style-src-attr', sources.styleAttr],
    ['img-src', sources.img],
    ['script-src', sources.script],
    ['connect-src', sources.connect],
    ['frame-src', sources.frame],
    // Always set, because form-action does not fall back to default-src.
    ['form-action', sources.form ?? none],
  ]
  const opened = directives.flatMap(([name, allowed]) => (allowed ? [`${name} ${allowed.join(' ')}`] : []))
  return ["default-src 'none'", ...opened, "base-uri 'none'", "frame-ancestors 'none'"].join('; ')
}

const none = ["'none'"]

// Returns the origins of URLs for the policy: browsers only follow the redirect of a form to an origin in the policy. URLs without an
// origin, or with a character that would end a directive, are left out.
export function originsOf(addresses: readonly (string | null | undefined)[]): string[] {
  const origins = addresses.flatMap((address) => (address && URL.canParse(address) ? [new URL(address).origin] : []))
  return [...new Set(origins)].filter((origin) => origin !== 'null' && !/[;,'\s]/.test(origin))
}

// Headers of a public page.
export function pageHeaders(sources: PolicySources): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(sources),
    'referrer-policy': 'no-referrer',
    // For browsers that do not support frame-ancestors.
    'x-frame-options': 'DENY',
  }
}

// Headers of a page for one person: not stored by caches, and not indexed by search engines.
export function privateHeaders(sources: PolicySources): Record<string, string> {
  return { ...pageHeaders(sources), 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' }
}

// Answers a form post with a redirect, so reloading the next page does not submit the form again.
export function redirectAfterPost(location: string, headers: Headers): PageAnswer {
  return { status: 303, body: '', headers: { ...headers, location } }
}
