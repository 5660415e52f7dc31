/** Starts a scan. Shows an estimate of its size while it is configured. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { contracts } from '../../api/contracts.ts'
import { getFieldErrors, toAppError } from '../../api/errors.ts'
import { CommandMenu } from '../../commands/command-menu.tsx'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import fieldCss from '../../ui/field.module.css'
import { Alert, TextArea } from '../../ui/field.tsx'
import { formatCount } from '../../ui/format.ts'
import { Drawer } from '../../ui/layers.tsx'
import { Skeleton } from '../../ui/primitives.tsx'
import { toast } from '../../ui/toast.tsx'
import { getTechniqueName } from '../labels.ts'
import { useNetworks } from '../networks.ts'
import { DISCOVERY_KEYS, estimateQuery } from '../queries.ts'
import type { Estimate, ScanType } from '../shapes.ts'
import { formatSpan } from '../span.ts'
import css from '../start.module.css'
import { TypeChoice } from './type-choice.tsx'

/** The delay between the last keystroke and the request. */
const SETTLE_MS = 350
/** Above these numbers, the form warns about the size of the scan. */
const MIN_HOSTS_WITH_WARNING = 4096
const MIN_SECONDS_WITH_WARNING = 300

const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

const Figures = ({ estimate, isOld }: { readonly estimate: Estimate; readonly isOld: boolean }) => {
  const { total_hosts, probes, estimated_seconds, techniques } = estimate
  const figures = [
    ['Addresses', formatCount(total_hosts)],
    ['Probes', formatCount(probes)],
    ['Takes about', formatSpan(estimated_seconds)],
  ] as const
  return (
    <div className={cx(css.estimate, isOld && css.old)}>
      <dl className={css.figures}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="muted">By {techniques.map(getTechniqueName).join(', ')}.</p>
    </div>
  )
}

const Warning = ({ estimate: { total_hosts, estimated_seconds } }: { readonly estimate: Estimate }) =>
  total_hosts < MIN_HOSTS_WITH_WARNING && estimated_seconds < MIN_SECONDS_WITH_WARNING ? null : (
    <Alert isWarning>
      <b>This is a large scan.</b>
      <span>
        It probes {formatCount(total_hosts)} addresses and takes about {formatSpan(estimated_seconds)}. Firewalls and
        intrusion detection may notice. A narrower network, or what is excluded, makes it smaller.
      </span>
    </Alert>
  )

const useEstimate = (network: string, type: ScanType, excludes: string) => {
  const { may } = usePermit()
  const settled = useSettled(excludes)
  const query = useQuery({
    ...estimateQuery({ network, type, excludes: settled }),
    enabled: network !== '' && may('discovery:create'),
    retry: false,
  })
  return { ...query, isOld: query.isPlaceholderData || settled !== excludes }
}

type Props = { readonly networkId: string | undefined; readonly onClose: () => void }

export const StartScan = ({ networkId = '', onClose }: Props) => {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { blocked } = usePermit()
  const [network, setNetwork] = useState(networkId)
  const [type, setType] = useState<ScanType>('quick')
  const [excludes, setExcludes] = useState('')
  const estimate = useEstimate(network, type, excludes)
  const input = { id: network, scan_type: type, exclude_ips: excludes.trim() }
  const start = useMutation({
    mutationFn: () => api.scans.start(input),
    onSuccess: (scan) => {
      for (const key of DISCOVERY_KEYS) void client.invalidateQueries({ queryKey: [key] })
      toast('The scan is on its way')
      if ('id' in scan) void navigate({ to: '/scans/$id', params: { id: scan.id } })
    },
  })
  const problem = start.error ?? estimate.error
  const errors = getFieldErrors(problem)
  const isKnown = errors.exclude_ips !== undefined || errors.scanner !== undefined
  const label = useNetworks().find(({ id }) => id === network)?.scanner ?? ''
  const choose = (id: string) => {
    setNetwork(id)
    start.reset()
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    start.mutate()
  }
  const noStart = blocked('discovery:create')
  return (
    <Drawer title="New scan" onClose={onClose}>
      <form className={fieldCss.form} onSubmit={submit} noValidate>
        <div className={fieldCss.body}>
          <fieldset className={fieldCss.fields} disabled={noStart !== undefined}>
            <ReferenceField
              label="Network"
              to="networks"
              isRequired
              placeholder="A part of its name, its subnet, or an address"
              value={network}
              onChange={choose}
              hint={label === '' ? undefined : `Scanned by ${label}.`}
              error={errors.scanner}
            />
            <TypeChoice value={type} onChange={setType} />
            <TextArea
              label="Exclude"
              hint="Addresses, ranges like 10.0.0.1-10.0.0.9 and CIDRs, with commas between them. Addresses that the schedule of the network excludes are excluded as well."
              value={excludes}
              onChange={setExcludes}
              error={errors.exclude_ips}
            />
          </fieldset>
          {problem && !isKnown && <Alert>{toAppError(problem).message}</Alert>}
          <section className={css.dryRun} aria-label="Estimate" aria-live="polite">
            <h3>Estimate</h3>
            {network === '' && <p className="muted">Choose a network to see the number of probes.</p>}
            {network !== '' && !estimate.data && !problem && noStart === undefined && <Skeleton width="70%" />}
            {network !== '' && estimate.data && !problem && (
              <>
                <Figures estimate={estimate.data} isOld={estimate.isOld} />
                <Warning estimate={estimate.data} />
              </>
            )}
          </section>
        </div>
        <footer className={fieldCss.foot}>
          <Button type="submit" look="primary" disabled={start.isPending || network === ''} blocked={noStart}>
            Start scan
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <span className={fieldCss.footEnd}>
            <CommandMenu getCall={() => (network === '' ? undefined : { op: contracts.scans.start, input })} />
          </span>
        </footer>
      </form>
    </Drawer>
  )
}
