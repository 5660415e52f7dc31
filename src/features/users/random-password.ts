/** Passwords that Plat makes up: shown once, so easy to read out and to type. */
import { randomInt } from 'node:crypto'

/** Without letters and digits that look alike: 31 of them, so that 20 carry 99 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const GROUPS = 4
const GROUP_LENGTH = 5

/** @example randomPassword().length // 23 */
export const randomPassword = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join(''),
  ).join('-')
