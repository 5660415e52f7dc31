/** The schedules by which networks are scanned. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import { type ColumnsOf, ListPage } from '../../resource/list-page.tsx'
import { usePermit } from '../../shell/me.ts'
import { SpaceBadge } from '../../spaces/known-spaces.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, TimeAgo } from '../../ui/primitives.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toastError } from '../../ui/toast.tsx'
import { formatInterval } from '../labels.ts'
import { Until } from '../marks.tsx'
import { useNetworks } from '../networks.ts'
import { rulesQuery } from '../queries.ts'
import type { Rule } from '../shapes.ts'
import { buildRuleResource, buildRuleSpec, formatRuleName, type Names, NEW_RULE } from './rule-resource.tsx'

const DEFAULT_COLUMNS = ['network', 'type', 'every', 'enabled', 'listen', 'next', 'last', 'excludes', 'tools']

/** Updates the page at once, and reverts if the server refuses. */
export const useToggleRule = () => {
  const client = useQueryClient()
  const { queryKey } = rulesQuery
  return useMutation({
    mutationFn: ({ id, enabled }: Rule) => api.discoveryRules.update({ id, enabled: !enabled }),
    onMutate: async ({ id, enabled }) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData(queryKey)
      client.setQueryData(queryKey, (rules) =>
        rules?.map((rule) => (rule.id === id ? { ...rule, enabled: !enabled, next_run_at: null } : rule)),
      )
      return before
    },
    onSuccess: (saved) =>
      client.setQueryData(queryKey, (rules) => rules?.map((rule) => (rule.id === saved.id ? saved : rule))),
    onError: (error, _, before) => {
      client.setQueryData(queryKey, before)
      toastError('The schedule is as it was', error)
    },
  })
}

type Tools = {
  readonly networks: Names
  readonly onToggle: (rule: Rule) => void
  readonly blocked: (permission: string) => string | undefined
}

const buildColumns =
  ({ networks, onToggle, blocked }: Tools): ColumnsOf<Rule> =>
  (run) => [
    {
      id: 'network',
      text: 'Network',
      width: 220,
      isSortable: true,
      isEssential: true,
      cell: ({ id, network_id }) => (
        <>
          <Link to="." search={(old: object) => ({ ...old, edit: id })} tabIndex={-1}>
            {networks.get(network_id)?.name ?? network_id}
          </Link>{' '}
          <span className="mono muted">{networks.get(network_id)?.subnet}</span>
          <SpaceBadge space_id={networks.get(network_id)?.space_id} />
        </>
      ),
    },
    { id: 'type', text: 'Type', width: 70, isSortable: true, cell: ({ scan_type }) => scan_type },
    {
      id: 'every',
      text: 'How often',
      width: 110,
      isSortable: true,
      cell: ({ interval_hours }) => formatInterval(interval_hours),
    },
    {
      id: 'enabled',
      text: 'Enabled',
      width: 80,
      isSortable: true,
      isEssential: true,
      cell: (rule) => (
        <Switch
          label={`Enable ${formatRuleName(networks, rule)}`}
          isOn={rule.enabled}
          onChange={() => onToggle(rule)}
          blocked={blocked('discovery:update')}
        />
      ),
    },
    {
      id: 'listen',
      text: 'Listens',
      width: 80,
      isSortable: true,
      cell: ({ listen, enabled }) =>
        listen ? <span className={enabled ? undefined : 'muted'}>{enabled ? 'yes' : 'while enabled'}</span> : '',
    },
    {
      id: 'next',
      text: 'Next run',
      width: 110,
      isSortable: true,
      isEssential: true,
      cell: ({ next_run_at, enabled, skipped_reason }) =>
        skipped_reason !== '' ? (
          <span title={skipped_reason}>
            <Badge tone="warn">skipped</Badge>
          </span>
        ) : next_run_at === null ? (
          <span className="muted">{enabled ? '' : 'never'}</span>
        ) : (
          <Until at={next_run_at} />
        ),
    },
    {
      id: 'last',
      text: 'Last run',
      width: 110,
      isSortable: true,
      cell: ({ last_run_at }) =>
        last_run_at === null ? <span className="muted">not yet</span> : <TimeAgo at={last_run_at} />,
    },
    {
      id: 'excludes',
      text: 'Excluded',
      width: 190,
      cell: ({ exclude_ips }) => (
        <span className="mono" title={exclude_ips}>
          {exclude_ips}
        </span>
      ),
    },
    {
      id: 'tools',
      text: 'Actions',
      isHeadHidden: true,
      width: 96,
      isRight: true,
      cell: (rule) => (
        <>
          <Button
            isIcon
            look="quiet"
            tabIndex={-1}
            aria-label={`Edit ${formatRuleName(networks, rule)}`}
            blocked={blocked('discovery:update')}
            onClick={() => run.edit(rule)}
          >
            <Pencil size={14} aria-hidden="true" />
          </Button>
          <Button
            isIcon
            look="quiet"
            tabIndex={-1}
            aria-label={`Delete ${formatRuleName(networks, rule)}`}
            blocked={blocked('discovery:delete')}
            onClick={() => run.remove(rule)}
          >
            <Trash2 size={14} aria-hidden="true" />
          </Button>
        </>
      ),
    },
  ]

export const RulesPage = () => {
  const { may, blockedNow } = usePermit()
  const { search, set } = usePageSearch()
  const query = useQuery({ ...rulesQuery, enabled: may('discovery:list') })
  const all = useNetworks()
  const networks = useMemo(() => new Map(all.map((network) => [network.id, network])), [all])
  const resource = useMemo(() => buildRuleResource(networks), [networks])
  const spec = useMemo(() => buildRuleSpec(networks), [networks])
  const toggle = useToggleRule()
  // biome-ignore lint/correctness/useExhaustiveDependencies: permissions stay the same until the page is reloaded
  const columns = useMemo(
    () => buildColumns({ networks, onToggle: toggle.mutate, blocked: blockedNow }),
    [networks, toggle.mutate],
  )
  return (
    <ListPage
      resourceName="discovery"
      resource={resource}
      query={query}
      needs="discovery:list"
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="network"
      placeholder="Network, type:deep, enabled:no"
      empty="A schedule scans a network at an interval."
      deleteWarning="Its network is no longer scanned at an interval. Discovered devices stay."
      open={({ id }) => void set({ edit: id })}
      given={search.network === undefined ? NEW_RULE : { ...NEW_RULE, network_id: search.network }}
    />
  )
}
