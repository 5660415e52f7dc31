/** Badges and meters of discovery: states, progress, confidence. */
import { useEffect, useState } from 'react'
import { cx } from '../ui/cx.ts'
import { Badge, type Tone } from '../ui/primitives.tsx'
import { formatTimeUntil, getBucketName } from './labels.ts'
import css from './marks.module.css'
import type { Bucket, DiscoveredDevice, Scan } from './shapes.ts'

const SCAN_TONES: Readonly<Record<Scan['status'], Tone>> = {
  pending: 'idle',
  running: 'info',
  completed: 'ok',
  failed: 'bad',
  cancelled: 'warn',
}

/** Shown as waiting. */
export const scanStatusText = (status: Scan['status']): string => (status === 'pending' ? 'waiting' : status)

export const ScanStatus = ({ status }: { readonly status: Scan['status'] }) => (
  <Badge tone={SCAN_TONES[status]}>{scanStatusText(status)}</Badge>
)

export const DiscoveredDeviceStatus = ({ status }: { readonly status: DiscoveredDevice['status'] }) => (
  <Badge tone={status === 'up' ? 'ok' : 'idle'}>{status}</Badge>
)

const BUCKET_TONES: Readonly<Record<Bucket, Tone>> = { new: 'info', changed: 'warn', gone: 'idle', conflict: 'bad' }

export const BucketBadge = ({ bucket }: { readonly bucket: Bucket }) => (
  <Badge tone={BUCKET_TONES[bucket]}>{getBucketName(bucket).toLowerCase()}</Badge>
)

type ProgressProps = { readonly scan: Scan; readonly label: string; readonly isSmall?: boolean }

/** A progress bar with its number. The bar of a scan that ended early stays where it stopped. */
export const Progress = ({ scan: { progress_percent, status }, label, isSmall }: ProgressProps) => {
  const percent = Math.floor(Math.min(100, progress_percent))
  return (
    <span className={cx(css.progress, isSmall && css.small)} data-status={status}>
      <span
        className={css.track}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <span className={css.bar} style={{ width: `${percent}%` }} />
      </span>
      {isSmall && <span className={css.percent}>{percent}%</span>}
    </span>
  )
}

/** High values are good here, unlike in a meter of utilization. */
export const Confidence = ({ value, label }: { readonly value: number; readonly label: string }) => (
  <span className={cx(css.progress, css.small)}>
    <span
      className={css.track}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={value}
    >
      <span className={css.bar} data-unsure={value < 50 || undefined} style={{ width: `${value}%` }} />
    </span>
    <span className={css.percent}>{value}</span>
  </span>
)

/** Returns the current time, updated every second while it ticks. */
export const useNow = (isTicking: boolean): number => {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), isTicking ? 1000 : 60_000)
    return () => clearInterval(timer)
  }, [isTicking])
  return nowMs
}

export const Until = ({ at }: { readonly at: string }) => (
  <time dateTime={at}>{formatTimeUntil(at, useNow(false))}</time>
)
