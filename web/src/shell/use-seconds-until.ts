/** Counts down to a time. */
import { useEffect, useState } from 'react'

/** @returns whole seconds, or 0 after that time */
export const useSecondsUntil = (untilMs: number): number => {
  const [nowMs, setNowMs] = useState(Date.now)
  const isOver = untilMs <= nowMs
  useEffect(() => {
    setNowMs(Date.now())
    if (untilMs <= Date.now()) return
    const timer = setInterval(() => setNowMs(Date.now()), 500)
    return () => clearInterval(timer)
  }, [untilMs])
  return isOver ? 0 : Math.ceil((untilMs - nowMs) / 1000)
}
