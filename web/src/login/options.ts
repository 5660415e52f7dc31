/** The ways to sign in that the server offers, and the causes of a failed sign-in by a provider, in words. */
import { queryOptions } from '@tanstack/react-query'
import type { SignInOptions } from '../../../src/people/sessions/api.ts'
import type { SsoError } from '../../../src/people/sso/api.ts'
import { request } from '../api/client.ts'
import { SIGN_IN_OPTIONS } from '../api/queries.ts'

export const signInOptionsQuery = queryOptions({
  queryKey: [SIGN_IN_OPTIONS],
  // The contract describes the answer.
  queryFn: async () => (await (await request('/api/auth/login', { method: 'GET' })).json()) as SignInOptions,
})

const WORDS: Readonly<Record<SsoError, string>> = {
  denied: 'The identity provider did not let you in, or you cancelled.',
  state: 'The sign-in took too long, or began in another browser. Try again.',
  provider: 'The identity provider gave a wrong answer. An administrator finds the reason in the log of the server.',
  no_account: 'You have no account here. Ask an administrator for one, or to link yours.',
  username_taken: 'Your user name or e-mail address belongs to another account here. Ask an administrator.',
  inactive: 'Your account is deactivated.',
  domain: 'Your e-mail address is not verified, or not of an allowed domain.',
  acr: 'The identity provider did not ask for enough proof. Sign in there with a second factor.',
  groups: 'You are in more groups than the identity provider sends. Ask an administrator.',
  linked_elsewhere: 'That identity is linked to another account.',
}

/** Returns the cause in words; undefined for an unknown one. */
export const getSsoErrorText = (code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(WORDS, code) ? WORDS[code as SsoError] : undefined
