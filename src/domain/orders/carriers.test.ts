import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carrierNames } from '../../contract/words.ts'
import { carrierOfNumber, trackingLink } from './carriers.ts'

test('every carrier of the list has an https link with the tracking number', () => {
  for (const carrier of carrierNames) {
    const url = new URL(trackingLink(carrier, '0034 0434 1610 9404 2557') ?? '')
    assert.equal(url.protocol, 'https:', carrier)
    assert.ok(url.href.includes('00340434161094042557'), url.href)
  }
})

test('a carrier is recognized by other spellings and by its brands, and an unknown carrier has no link', () => {
  const number = '12345678901'
  const link = trackingLink('DHL', number)
  for (const name of ['dhl', ' DHL ', 'DHL Paket', 'dhl-express', 'Deutsche Post'])
    assert.equal(trackingLink(name, number), link, name)
  assert.equal(trackingLink('royal-mail', number), trackingLink('Royal Mail', number))
  assert.equal(trackingLink('Colissimo', number), trackingLink('La Poste', number))
  for (const name of ['Bike courier', 'DPD UK', '', 'constructor', '__proto__', null])
    assert.equal(trackingLink(name, number), null, String(name))
})

test('an invalid tracking number has no link, and no number can change the rest of the URL', () => {
  for (const number of [null, '', '1234567', 'see the note', 'x'.repeat(41)])
    assert.equal(trackingLink('DHL', number), null, String(number))
  for (const number of ['12345678&x=1', '12345678#top', '../../12345678', '12345678?x', '12345678"><b>'])
    assert.equal(trackingLink('PostNL', number), null, number)
})

test('the carrier is recognized if the form and check digit of a number belong to one carrier only', () => {
  const known: [string, string][] = [
    ['1Z999AA10123456784', 'UPS'],
    ['1z 999 aa1 01 2345 6784', 'UPS'],
    ['RR473124829GB', 'Royal Mail'],
    ['RR 473 124 829 FR', 'La Poste'],
    ['RR473124829NL', 'PostNL'],
    ['RR473124829US', 'USPS'],
    ['RR473124829DE', 'DHL'],
    ['3SABCD1234567', 'PostNL'],
    ['JJD014600003463400216', 'DHL'],
    ['00340434161094042557', 'DHL'],
    ['9400111201080805483016', 'USPS'],
    ['9361 2898 7870 0317 6337 95', 'USPS'],
  ]
  for (const [number, carrier] of known) assert.equal(carrierOfNumber(number), carrier, number)
})

test('no carrier is recognized if a digit is wrong, or several carriers have such numbers', () => {
  const unknown = [
    null,
    '',
    '1Z999AA10123456785',
    'RR473124828GB',
    'RR473124829CH',
    '00340434161094042558',
    '9400111201080805483017',
    // Numbers of twelve digits are used by FedEx, GLS and many others, numbers of fourteen digits by DPD and others.
    '986578788855',
    '01505012345678',
    '1Z',
  ]
  for (const number of unknown) assert.equal(carrierOfNumber(number), null, String(number))
})
