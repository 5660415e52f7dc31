/** Positions in the write-ahead log, as PostgreSQL writes them: `16/B374D848`. */

/** @example parsePosition('1/10') // 4294967312n */
export const parsePosition = (position: string): bigint => {
  const [high = '', low = ''] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
