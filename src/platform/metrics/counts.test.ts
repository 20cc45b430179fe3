import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counts, labelText, samplesBy } from './counts.ts'
import { createMetrics } from './metrics.ts'

test('a label with any characters is escaped once', () => {
  assert.equal(labelText({ name: 'a "b" \\ c\nd', mode: 'test' }), 'name="a \\"b\\" \\\\ c\\nd",mode="test"')
})

test('counts are separate for each combination of labels, and samples do not change afterwards', () => {
  const counts = new Counts()
  counts.raise({ provider: 'stripe', outcome: 'paid' })
  const first = counts.samples()
  counts.raise({ provider: 'stripe', outcome: 'paid' })
  counts.raise({ provider: 'a",outcome="b' })
  assert.deepEqual(first, [{ labels: { provider: 'stripe', outcome: 'paid' }, value: 1 }])
  assert.deepEqual(
    counts.samples().map(({ value }) => value),
    [2, 1],
  )
})

test('a gauge is one number, several numbers with labels, or none', (t) => {
  const metrics = createMetrics()
  t.after(() => metrics.close())
  const read = (name: string, values: Parameters<typeof metrics.read>[0]['values']) =>
    metrics.read({ name, help: 'A test.', type: 'gauge', values })
  read('one', () => 7)
  read('none', () => undefined)
  read('several', () => samplesBy('state', { open: 1, 'a"b': 2 }))
  const lines = metrics.render().split('\n')
  assert.deepEqual(
    lines.filter((line) => /^(?:one|none|several)\b/.test(line)),
    ['one 7', 'several{state="open"} 1', 'several{state="a\\"b"} 2'],
  )
})
