/** A text that is typed, once it stays the same. */
import { useEffect, useState } from 'react'

/** The pause in typing after which the text is used. */
const PAUSE_MS = 400

/** Returns the text once it has stayed the same for a while. */
export const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    // The first text does not wait.
    const timer = setTimeout(() => setSettled(text), settled === '' ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, settled])
  return settled
}
