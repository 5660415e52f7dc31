/** Passwords that nobody made up. */

/** Without what is mistaken for something else when it is read out or typed from paper. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
/** 116 bits. */
const LENGTH = 20
/** The greatest multiple of the alphabet that a byte holds: what is above would favour its beginning. */
const FAIR = 256 - (256 % ALPHABET.length)

export const randomPassword = (): string => {
  let password = ''
  while (password.length < LENGTH) {
    const [byte = FAIR] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < FAIR) password += ALPHABET[byte % ALPHABET.length]
  }
  return password
}
