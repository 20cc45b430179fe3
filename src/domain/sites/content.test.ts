import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteContent, SiteSection } from '../../contract/sitecontent.ts'
import { contentProblems, isLinkAddress, lookText, normalizeContent, publishedContent, storedLook } from './content.ts'

const plain: SiteContent = {
  look: { logo: null, color: '#2C4C3E', font: 'classic', corners: 'round', density: 'airy', scheme: 'auto' },
  home: null,
  menus: { head: null, foot: null },
}

const problemsOf = (content: SiteContent) => [...contentProblems(content)].map(({ path, code }) => `${path} ${code}`)

test('links must be https, http, mailto, tel or a path of the shop', () => {
  for (const address of [
    'https://a.example/x?y#z',
    'http://a.example',
    'mailto:a@b.example',
    'tel:+491',
    '/about',
    '/',
  ])
    assert.equal(isLinkAddress(address), true, address)
  for (const address of [
    ...['javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)', 'java\tscript:x', 'data:text/html,x'],
    ...['//evil.example', '/\\evil.example', '\\\\evil.example', 'https:/evil', 'https://', 'https://u@a.example'],
    ...['about', '', 'vbscript:x', 'file:///etc/passwd'],
  ])
    assert.equal(isLinkAddress(address), false, address)
})

test('missing parts of a section are reported, and parts that belong to other kinds are removed', () => {
  const home: SiteSection[] = [
    { kind: 'products', source: 'category', title: 'New' },
    { kind: 'products', source: 'chosen', products: [] },
    { kind: 'hero', link: { kind: 'address', target: 'javascript:x', label: '' } },
    { kind: 'notice', link: { kind: 'product', target: 'No Slug', label: 'x' }, image: '/media/../admin' },
  ]
  const menus = { head: [{ kind: 'category' as const, target: '//x', label: '' }], foot: null }
  assert.deepEqual(problemsOf({ ...plain, home, menus }), [
    '/home/0/category needed',
    '/home/1/products needed',
    '/home/2/link/label needed',
    '/home/2/link/target link_not_allowed',
    '/home/3/image not_an_image_address',
    '/home/3/link/target not_a_slug',
    '/menus/head/0/target not_a_slug',
  ])
  const made = normalizeContent({
    ...plain,
    home: [{ kind: 'text', bodyHtml: '<p>Hi<script>x</script>', limit: 4, image: null }],
    menus: { head: [{ kind: 'all', target: 'dropped', label: 'All' }], foot: null },
  })
  assert.deepEqual(made, {
    look: { ...plain.look, color: '#2c4c3e' },
    home: [{ kind: 'text', bodyHtml: '<p>Hi</p>' }],
    menus: { head: [{ kind: 'all', target: '', label: 'All' }], foot: null },
  })
  assert.deepEqual(normalizeContent(made), made)
})

test('a merchant without changes has the default look, which is not stored', () => {
  assert.equal(lookText(plain.look), null)
  const dark = lookText({ ...plain.look, scheme: 'dark' })
  assert.equal(storedLook(dark).scheme, 'dark')
  const content = publishedContent({ logo: null, color: '#2C4C3E', look: null }, undefined)
  assert.deepEqual(content, plain)
})
