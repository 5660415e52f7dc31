/** The findings of the doctor: one line per check. */

export type Finding = {
  /** The checked part: `data folder`. */
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** The remedy; present unless the status is ok. */
  readonly advice?: string
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })

export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'warning',
  message,
  advice,
})

export const problem = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'problem',
  message,
  advice,
})
