/** The addresses of a discovered device. Addresses of another device can be split off. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { CopyText, TimeAgo } from '../../ui/primitives.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import css from '../evidence.module.css'
import { DiscoveredDeviceStatus } from '../marks.tsx'
import { useDiscoveryChanged } from '../scans/scan-actions.tsx'
import type { DiscoveredDeviceDetail } from '../shapes.ts'

export const Addresses = ({ discovered }: { readonly discovered: DiscoveredDeviceDetail }) => {
  const { blockedNow } = usePermit()
  const changed = useDiscoveryChanged()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const canSplit = discovered.addresses.length > 1
  const split = useMutation({
    mutationFn: () => api.discovery.split({ id: discovered.id, ips: [...chosen] }),
    onSuccess: () => {
      toast(`${plural(chosen.size, 'address', 'addresses')} split off`, {
        description: 'They are a separate device now.',
      })
      setChosen(new Set())
      changed()
    },
    onError: (error) => toastError('Nothing was split off', error),
  })
  const toggle = (ip: string, isOn: boolean) =>
    setChosen((old) => new Set(isOn ? [...old, ip] : [...old].filter((one) => one !== ip)))
  return (
    <section className={css.block}>
      <h3>Addresses</h3>
      <ul className={css.addresses}>
        {discovered.addresses.map(({ ip, status, first_seen, last_seen }) => (
          <li key={ip}>
            {canSplit && (
              <Checkbox
                aria-label={`Choose ${ip}`}
                checked={chosen.has(ip)}
                onChange={(event) => toggle(ip, event.target.checked)}
              />
            )}
            <CopyText text={ip} label={ip} />
            <DiscoveredDeviceStatus status={status} />
            <span className="muted">
              seen <TimeAgo at={last_seen} />, first <TimeAgo at={first_seen} />
            </span>
          </li>
        ))}
      </ul>
      {canSplit && (
        <p className={css.split}>
          <Button
            onClick={() => split.mutate()}
            blocked={blockedNow('discovery:update')}
            disabled={chosen.size === 0 || chosen.size === discovered.addresses.length || split.isPending}
          >
            Split off
          </Button>
          <span className="muted">
            {chosen.size === discovered.addresses.length
              ? 'One address must stay.'
              : 'The selected addresses become a separate device.'}
          </span>
        </p>
      )}
    </section>
  )
}
