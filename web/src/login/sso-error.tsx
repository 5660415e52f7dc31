/** The causes of a failed sign-in by a provider, in words. */
import type { SsoError } from '../../../src/people/sso/api.ts'
import { Alert } from '../ui/field.tsx'

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

/** Shows the cause; nothing for an unknown one. */
export const SsoErrorAlert = ({ code }: { readonly code: string }) => {
  const text = getSsoErrorText(code)
  return text === undefined ? null : <Alert>{text}</Alert>
}
