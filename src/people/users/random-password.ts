/** Generated passwords: shown once, so easy to read out and to type. */
import { randomInt } from 'node:crypto'

/** Excludes similar letters and digits. With 31 characters, 20 of them have 99 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const GROUPS = 4
const GROUP_LENGTH = 5

/** @example generatePassword().length // 23 */
export const generatePassword = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join(''),
  ).join('-')
