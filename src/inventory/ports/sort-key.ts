/** The order of the names of ports: text in lower case, and numbers by their value. */

/**
 * Returns a text that sorts as the name does. Each run of digits becomes its length in two digits and its digits, without leading zeros.
 * @example sortKey('Gi0/2') < sortKey('Gi0/10') // true
 */
export const sortKey = (name: string): string =>
  name.toLowerCase().replace(/\d+/g, (digits) => {
    const value = digits.replace(/^0+(?=\d)/, '')
    return `${String(value.length).padStart(2, '0')}${value}`
  })
