/** Offers passkeys in the list of the user name field, while the page is open (WebAuthn level 3, section 5.1.4). */
import { useEffect, useRef } from 'react'
import { askPasskey, hasConditional, type Shown } from './webauthn.ts'

/** Shorter than the life of a challenge. */
const AGAIN_MS = 4 * 60_000

/** @returns a function that ends the offer, because a browser shows one request at a time */
export const usePasskeyList = (isOffered: boolean, onShown: (shown: Shown) => void): (() => void) => {
  const ending = useRef<AbortController>(undefined)
  const shown = useRef(onShown)
  shown.current = onShown
  useEffect(() => {
    if (!isOffered) return
    const end = new AbortController()
    ending.current = end
    const offer = async () => {
      if (!(await hasConditional())) return
      while (!end.signal.aborted) {
        const signal = AbortSignal.any([end.signal, AbortSignal.timeout(AGAIN_MS)])
        const answer = await askPasskey({ mediation: 'conditional', signal }).catch((error: unknown) => {
          // Only a timeout is a reason to ask again.
          if (!signal.aborted) end.abort(error)
        })
        if (answer && !end.signal.aborted) return shown.current(answer)
      }
    }
    void offer()
    return () => end.abort()
  }, [isOffered])
  return () => ending.current?.abort()
}
