/** The paths of the pages that need no session. All others are in pages.ts. */

/** Outside of the shell. */
export const LOGIN = '/login'
/** The page to which clients redirect users for consent (RFC 6749 3.1), while OAuth is on. */
export const CONSENT = '/mcp-oauth/authorize'
