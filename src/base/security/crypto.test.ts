// A sealed value opens only with the same key and in the same place.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  buildSealedPrefix,
  computeKeyId,
  createSecrets,
  getSealedKeyId,
  type Place,
  SealedValueError,
} from './crypto.ts'

const KEY = 'a1'.repeat(32)
const OTHER = 'b2'.repeat(32)
const PLACE: Place = { table: 'credentials', column: 'secret', id: 'row-1' }

const secrets = createSecrets({ key: KEY, previous: [] })
const opening = (place: Place, sealed: string) => () => secrets.open(place, sealed)

const text = fc.string({ unit: 'grapheme', maxLength: 200 })
const id = fc.string({ minLength: 1, maxLength: 64 })

describe('a sealed value', () => {
  test('decrypts to the original text', () => {
    fc.assert(
      fc.property(text, id, (plaintext, row) => {
        const place = { ...PLACE, id: row }
        expect(secrets.open(place, secrets.seal(place, plaintext))).toBe(plaintext)
      }),
    )
  })

  test('holds nothing of the text, and is another one each time', () => {
    const sealed = [secrets.seal(PLACE, 'correct horse'), secrets.seal(PLACE, 'correct horse')]
    expect(new Set(sealed).size).toBe(2)
    for (const one of sealed) expect(Buffer.from(one.slice(12), 'base64url').toString('latin1')).not.toContain('horse')
  })

  test('has the form v1.<key id>.<nonce, text and tag>', () => {
    const [version, keyId, body = ''] = secrets.seal(PLACE, 'abcd').split('.')
    expect([version, keyId]).toEqual(['v1', computeKeyId(KEY)])
    expect(Buffer.from(body, 'base64url')).toHaveLength(12 + 4 + 16)
  })

  test('does not open in another row, column or table', () => {
    const sealed = secrets.seal(PLACE, 'x')
    for (const other of [{ id: 'row-2' }, { column: 'note' }, { table: 'webhooks' }])
      expect(opening({ ...PLACE, ...other }, sealed)).toThrow(SealedValueError)
  })

  test('does not open with any bit of it flipped, whatever its length', () => {
    // Lengths for each of the three phases of base64, of which two leave unused bits.
    for (const plaintext of ['', 'a', 'ab', 'abc']) {
      const sealed = secrets.seal(PLACE, plaintext)
      for (let at = 0; at < sealed.length; at++)
        for (let bit = 0; bit < 8; bit++) {
          const flipped = String.fromCharCode(sealed.charCodeAt(at) ^ (1 << bit))
          expect(opening(PLACE, sealed.slice(0, at) + flipped + sealed.slice(at + 1))).toThrow(SealedValueError)
        }
    }
  })

  test('does not open cut short or with something added', () => {
    const sealed = secrets.seal(PLACE, 'some text')
    for (let length = 0; length < sealed.length; length++)
      expect(opening(PLACE, sealed.slice(0, length))).toThrow(SealedValueError)
    for (const added of ['A', 'AAAA', '=', '\n', '.']) expect(opening(PLACE, sealed + added)).toThrow(SealedValueError)
  })

  test('with a tag of four bytes does not open, though the cipher would take it', () => {
    const [version, keyId, body = ''] = secrets.seal(PLACE, 'x'.repeat(40)).split('.')
    const short = Buffer.from(body, 'base64url').subarray(0, -12).toString('base64url')
    expect(opening(PLACE, `${version}.${keyId}.${short}`)).toThrow(SealedValueError)
  })

  test('plain text is not taken for one', () => {
    fc.assert(fc.property(text, (plaintext) => expect(opening(PLACE, plaintext)).toThrow(SealedValueError)))
  })
})

describe('keys', () => {
  test('another key does not open it', () => {
    const sealed = createSecrets({ key: OTHER, previous: [] }).seal(PLACE, 'x')
    expect(opening(PLACE, sealed)).toThrow(`encrypted with the key ${computeKeyId(OTHER)}`)
  })

  test('another key under the id of the right one does not open it', () => {
    const sealed = createSecrets({ key: OTHER, previous: [] }).seal(PLACE, 'x')
    expect(opening(PLACE, sealed.replace(computeKeyId(OTHER), computeKeyId(KEY)))).toThrow('was altered')
  })

  test('an earlier key opens and does not seal', () => {
    const sealed = secrets.seal(PLACE, 'x')
    const rotating = createSecrets({ key: OTHER, previous: [KEY] })
    expect(rotating.open(PLACE, sealed)).toBe('x')
    expect([rotating.isCurrent(sealed), rotating.isCurrent(rotating.seal(PLACE, 'x'))]).toEqual([false, true])
    expect([...rotating.keyIds]).toEqual([computeKeyId(KEY), computeKeyId(OTHER)])
  })

  test('without one nothing is sealed', () => {
    const none = createSecrets({ previous: [KEY] })
    expect([none.isEnabled, none.currentKeyId]).toEqual([false, undefined])
    expect(() => none.seal(PLACE, 'x')).toThrow('no key')
    expect(none.open(PLACE, secrets.seal(PLACE, 'x'))).toBe('x')
  })

  test('are named by the first digits of their hash', () => {
    // sha256sum of 32 zero bytes
    expect(computeKeyId('00'.repeat(32))).toBe('66687aad')
  })

  test('are identified by the prefix of a value', () => {
    const sealed = secrets.seal(PLACE, 'x')
    expect(sealed).toStartWith(buildSealedPrefix(computeKeyId(KEY)))
    expect([getSealedKeyId(sealed), getSealedKeyId(buildSealedPrefix(computeKeyId(KEY)))]).toEqual([
      computeKeyId(KEY),
      computeKeyId(KEY),
    ])
    expect([getSealedKeyId(''), getSealedKeyId(' '.concat(sealed)), getSealedKeyId('v1.ABCDEF01.')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('no message holds the key or the text', () => {
    const sealed = secrets.seal(PLACE, 'hunter2')
    const messages = [sealed.slice(0, -1), sealed.replace(computeKeyId(KEY), '00000000'), 'hunter2'].map((broken) => {
      try {
        return secrets.open(PLACE, broken)
      } catch (error) {
        return String(error)
      }
    })
    for (const message of messages) {
      expect(message).toStartWith('SealedValueError: credentials.secret of row-1 ')
      expect(message).not.toContain('hunter2')
      expect(message).not.toContain(KEY)
    }
  })
})
