/** Random passwords. */

/** Leaves out characters that look alike in print or sound alike. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
/** 116 bits. */
const LENGTH = 20
/** The largest multiple of the alphabet's length within a byte. Greater values would favor its first characters. */
const FAIR = 256 - (256 % ALPHABET.length)

let last = ''

/** True for the last generated password, which the user has not typed. */
export const isGenerated = (password: string): boolean => password === last

export const generatePassword = (): string => {
  let password = ''
  while (password.length < LENGTH) {
    const [byte = FAIR] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < FAIR) password += ALPHABET[byte % ALPHABET.length]
  }
  last = password
  return password
}
