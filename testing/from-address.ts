/** Signs in through a proxy, from any client address. */
import type { Plat } from '../src/app/compose.ts'

export const PROXY = '127.0.0.1'
/** Makes an app trust `fromAddress`. */
export const BEHIND_PROXY = { TRUST_PROXY: 'true', TRUSTED_PROXIES: PROXY }

export type SignInFrom = (
  address: string,
  login: { readonly username: string; readonly password: string },
  options?: { readonly cookie?: string; readonly signal?: AbortSignal },
) => Promise<Response>

export const signInTo =
  ({ fetch }: Pick<Plat, 'fetch'>): SignInFrom =>
  (address, login, { cookie, signal } = {}) => {
    const headers = {
      'Content-Type': 'application/json',
      'X-Forwarded-For': address,
      ...(cookie === undefined ? {} : { Cookie: cookie }),
    }
    const init = { method: 'POST', headers, body: JSON.stringify(login), ...(signal ? { signal } : {}) }
    return fetch(new Request('http://plat.test/api/auth/login', init), { peer: () => PROXY })
  }
