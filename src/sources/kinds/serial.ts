/** Serial numbers of machines, without the texts of boards that have none: several machines have the same text. */

const NO_SERIAL =
  /^(?:to be filled by o\.?e\.?m\.?|default string|not (?:specified|applicable|available)|system serial number|none|null|n\/a|unknown|x+|0+|0?123456789)$/i

/** Returns the serial number; '' for a text that is none. */
export const cleanSerial = (text: string): string => {
  const serial = text.trim()
  return NO_SERIAL.test(serial) ? '' : serial
}
