/** The requirements of policies, and the results of checks from outside. */
import type { Proposal } from '../api/contracts.ts'
import { plural } from '../ui/format.ts'
import { Badge, Card, TimeAgo, type Tone } from '../ui/primitives.tsx'
import css from './proposals.module.css'

type Requirement = Proposal['requirements'][number]
type Check = Proposal['checks'][number]

const TONES: Readonly<Record<Requirement['checks'][number]['state'], Tone>> = {
  success: 'ok',
  failure: 'bad',
  pending: 'info',
  missing: 'warn',
}

/** @example formatApprovals(requirement) // '1 of 2 approvals of netops: ada' */
const formatApprovals = ({ approvals, given, group, approved_by }: Requirement): string => {
  const who = group === '' ? '' : ` of ${group}`
  const names = approved_by.length === 0 ? '' : `: ${approved_by.join(', ')}`
  return `${given} of ${plural(approvals, 'approval')}${who}${names}`
}

const RequirementRow = ({ requirement }: { readonly requirement: Requirement }) => {
  const { policy, objects, approvals, checks, is_met } = requirement
  return (
    <li className={css.operation}>
      <p className={css.rowHead}>
        <Badge tone={is_met ? 'ok' : 'warn'}>{is_met ? 'met' : 'missing'}</Badge>
        <b>{policy}</b>
        <span className={css.since}>{plural(objects, 'object')}</span>
      </p>
      {approvals > 0 && <p>{formatApprovals(requirement)}</p>}
      {checks.map(({ name, state }) => (
        <p key={name}>
          <Badge tone={TONES[state]}>{state}</Badge> <span className="mono">{name}</span>
        </p>
      ))}
    </li>
  )
}

export const RequirementsCard = ({ requirements }: { readonly requirements: readonly Requirement[] }) => (
  <Card title="Requirements">
    {requirements.length === 0 && <p className="muted">No policy asks for an approval or a check.</p>}
    <ul>
      {requirements.map((requirement) => (
        <RequirementRow key={requirement.policy_id} requirement={requirement} />
      ))}
    </ul>
  </Card>
)

/** The server takes addresses of http and https alone; another one never becomes a link. */
const isLink = (url: string): boolean => /^https?:\/\//i.test(url)

export const ChecksCard = ({ checks }: { readonly checks: readonly Check[] }) =>
  checks.length === 0 ? null : (
    <Card title="Checks">
      <ul>
        {checks.map(({ name, state, summary, url, reported_by, reported_at }) => (
          <li key={name} className={css.operation}>
            <p className={css.rowHead}>
              <Badge tone={TONES[state]}>{state}</Badge>
              {isLink(url) ? (
                <a href={url} target="_blank" rel="noopener noreferrer" className="link mono">
                  {name}
                </a>
              ) : (
                <span className="mono">{name}</span>
              )}
              <span className={css.since}>
                {reported_by} · <TimeAgo at={reported_at} />
              </span>
            </p>
            {summary !== '' && <p>{summary}</p>}
          </li>
        ))}
      </ul>
    </Card>
  )
