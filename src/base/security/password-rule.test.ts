import { expect, test } from 'bun:test'
import { checkPassword } from './password-rule.ts'

test.each(['12345678', 'correct horse battery', 'ключ-8-1', '🔑🔑🔑🔑🔑🔑🔑🔑', 'é'.repeat(36), 'a'.repeat(72)])(
  '%j may be used',
  (password) => {
    expect(checkPassword(password)).toBeUndefined()
  },
)

test.each([
  ['', 'The password must have at least 8 characters'],
  ['1234567', 'The password must have at least 8 characters'],
  ['🔑🔑🔑🔑', 'The password must have at least 8 characters'],
  ['a'.repeat(73), 'The password must not be longer than 72 bytes in UTF-8'],
  ['é'.repeat(37), 'The password must not be longer than 72 bytes in UTF-8'],
  ['12345678\n', 'The password must not contain control characters'],
  ['1234\u00005678', 'The password must not contain control characters'],
  ['1234567\ud800', 'The password contains a broken character'],
])('%j may not', (password, problem) => {
  expect(checkPassword(password)).toBe(problem)
})
