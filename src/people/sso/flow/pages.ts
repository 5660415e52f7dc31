/** The answers to a browser that comes back from an identity provider. */
import type { SsoError } from '../api.ts'

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/**
 * Opens a path. The session cookie is SameSite=Strict, so a redirect that another site began would not carry it, and
 * a page of this server does.
 * @param path as `returnPath` returns it
 */
export const renderOpeningPage = (path: string, cookies: readonly string[]): Response => {
  const to = escapeHtml(path)
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${to}"><title>Signed in</title></head>
<body><p>Signed in. <a href="${to}">Continue</a></p></body></html>
`
  const answer = new Response(html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
  })
  for (const cookie of cookies) answer.headers.append('Set-Cookie', cookie)
  return answer
}

export const redirect = (to: string, cookies: readonly string[] = []): Response => {
  const answer = new Response(null, {
    status: 302,
    headers: { Location: to, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  })
  for (const cookie of cookies) answer.headers.append('Set-Cookie', cookie)
  return answer
}

/** The page that shows the cause of a failed sign-in or link. */
export type FailurePage = {
  /** A failed link is shown on the page of the account. */
  readonly isLink: boolean
  /** The path to open after the next try, as `returnPath` returns it. */
  readonly returnTo: string
}

export const respondFailure = (code: SsoError, { isLink, returnTo }: FailurePage): Response => {
  if (isLink) return redirect(`/account?sso_error=${code}`)
  const after = returnTo === '/' ? '' : `&return_to=${encodeURIComponent(returnTo)}`
  return redirect(`/login?sso_error=${code}${after}`)
}
