/** Returns the anchor of a heading, as GitHub makes it. @example toAnchor('As of a moment') // 'as-of-a-moment' */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
