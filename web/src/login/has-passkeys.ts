/** Tells what a browser can do with passkeys, without the code of their ceremonies. */

/** Returns true in a browser with passkeys and the JSON methods, at an address that is secure. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** True if the user has closed the browser's window, or it was replaced by another. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')
