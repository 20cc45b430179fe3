import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pictureUrl } from './frame.ts'

test('pictures in e-mails have absolute addresses, and formats that mail programs cannot show are left out', () => {
  const seen = [
    '/media/mer_1/ab-1600.webp',
    '/media/demo/mug.jpg',
    'https://pictures.example/a.jpg',
    '/media/demo/mug.svg',
    'https://pictures.example/a.svg?v=1',
    'data:image/png;base64,AA',
    null,
  ].map((address) => pictureUrl('https://shop.example', address))
  assert.deepEqual(seen, [
    'https://shop.example/media/mer_1/ab-1600.webp?width=160',
    'https://shop.example/media/demo/mug.jpg',
    'https://pictures.example/a.jpg',
    ...Array(4).fill(null),
  ])
})
