import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findScreen } from './find.ts'
import { screens } from './screens.ts'

describe('finding the screen for an address', () => {
  test('each screen is found by its address, with its parameters', () => {
    for (const screen of screens)
      for (const method of ['get', 'post'] as const) {
        if (!screen[method]) continue
        const found = findScreen(method, screen.path.replaceAll(/:(\w+)/g, 'of $1'))
        const names = [...screen.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
        assert.equal(found?.screen, screen, screen.path)
        assert.deepEqual(found.path, Object.fromEntries(names.map((name) => [name, `of ${name}`])), screen.path)
      }
  })

  test('no screen is found with another method, an empty parameter, or a longer or shorter address', () => {
    const asked = ['', '/', 'home/', 'orders/', 'products/a/b/c', 'Home', ':productId', '__proto__']
    assert.deepEqual(
      asked.filter((rest) => findScreen('get', rest)),
      [],
    )
    assert.equal(findScreen('post', 'home'), undefined)
  })
})
