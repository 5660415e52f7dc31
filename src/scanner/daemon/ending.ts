/** How the daemon ends. */

export type DaemonEnd = {
  /** 0: as asked; 3: refused for good; 6: not reached. */
  readonly code: 0 | 3 | 6
  /** One line for the log; '' for none. */
  readonly message: string
}

const ANOTHER_TOKEN = 'create another one on the page of the scanner, or by "plat scanner enrol"'

/** @param code of the answer 401 */
export const describeTokenRefusal = (code: string): string =>
  code === 'EXPIRED_KEY'
    ? `the enrolment token has expired: ${ANOTHER_TOKEN}`
    : `the enrolment token is used, void or unknown: ${ANOTHER_TOKEN}`

export const CREDENTIAL_REFUSED =
  'the server no longer accepts this scanner: it was revoked, deleted or enrolled again elsewhere. ' +
  'To enrol it here, start it with a new enrolment token'
