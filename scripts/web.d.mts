/** Builds dist/web unless it is there and current. */
export function ensureWeb(): boolean
