import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePictureOfVariant, pictureScopeOf, valueOfScope } from './variantpictures.ts'

const [red, moss, large] = ['/media/red', '/media/moss', '/media/large']

test('a picture is shown for an option value if exactly the variants with that value have the picture', () => {
  const variants = [
    { values: ['S', 'Red'], image: red },
    { values: ['S', 'Moss'], image: moss },
    { values: ['L', 'Red'], image: red },
    { values: ['L', 'Moss'], image: moss },
  ]
  assert.deepEqual(
    [red, moss, large].map((url) => pictureScopeOf(url, variants)),
    ['1:Red', '1:Moss', ''],
  )
  const [first, ...rest] = variants
  assert.ok(first)
  assert.equal(pictureScopeOf(large, [{ ...first, image: large }, ...rest]), 'same')
  assert.equal(pictureScopeOf(red, [{ ...first, image: large }, ...rest]), 'same')
  assert.equal(pictureScopeOf(red, [{ values: [], image: red }]), 'same')
})

test('an option value may contain a colon', () => {
  assert.deepEqual(valueOfScope('0:1:2'), { slot: 0, value: '1:2' })
  assert.equal(valueOfScope('same'), undefined)
})

test('a variant gets the first picture of its option value, keeps other assignments, and loses removed pictures', () => {
  const pictures = (...shows: string[]) => [red, moss].map((url, at) => ({ url, shows: shows[at] ?? '' }))
  const before = { image: null, pictures: [red, moss] }
  assert.equal(choosePictureOfVariant(['S', 'Moss'], pictures('1:Red', '1:Moss'), before), moss)
  assert.equal(choosePictureOfVariant(['S', 'Moss'], pictures('0:S', '1:Moss'), before), red)
  assert.equal(choosePictureOfVariant(['S', 'Blue'], pictures('1:Red', '1:Moss'), before), null)
  const had = { ...before, image: moss }
  assert.equal(choosePictureOfVariant(['S', 'Moss'], pictures('', 'same'), had), moss)
  assert.equal(choosePictureOfVariant(['S', 'Moss'], pictures('', ''), had), null)
  assert.equal(choosePictureOfVariant(['S', 'Moss'], [{ url: red, shows: '' }], had), null, 'it was removed')
  const own = { ...before, image: 'https://cdn.example/own.webp' }
  assert.equal(choosePictureOfVariant(['S', 'Moss'], pictures('', ''), own), own.image, 'it never was in the form')
})
