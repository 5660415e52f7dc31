/** The page of one group: its members, and the roles that they have by it. */
import { getRouteApi, Link } from '@tanstack/react-router'
import { contracts } from '../api/contracts.ts'
import { listFacts } from '../resource/columns.tsx'
import { MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageBody } from '../shell/page.tsx'
import { formatCount } from '../ui/format.ts'
import { Card, CopyText, Facts, TimeAgo } from '../ui/primitives.tsx'
import css from './access.module.css'
import { GrantsCard } from './grants/grants-card.tsx'
import { DeleteGroup } from './groups/delete-group.tsx'
import { fields } from './groups/fields.ts'
import { MembersTab } from './groups/members-tab.tsx'
import { groupResource } from './groups/resource.ts'
import { groupQuery } from './queries.ts'
import type { Group } from './types.ts'

const route = getRouteApi('/app/groups/$id')
const PARENT = { text: 'Groups', link: { to: '/groups' } } as const
const FACTS = ['description', 'id']
/** The strip has these fields. */
const ELSEWHERE = { member_count: '', created_at: '', updated_at: '' }

const Overview = ({ group }: { readonly group: Group }) => (
  <>
    <GrantsCard
      title="Roles"
      filter={{ group_id: group.id }}
      show={{ role: true, holder: 'none', scope: 'always' }}
      given={{ holder: { group_id: group.id, name: group.name } }}
      empty="None yet. Its members have a role as soon as the group has it."
    />
    <Card title="Details">
      <Facts
        facts={listFacts(fields, group, FACTS, {
          ...ELSEWHERE,
          id: <CopyText text={group.id} label="ID" />,
        })}
      />
    </Card>
  </>
)

export const GroupPage = () => {
  const { id } = route.useParams()
  const { may, blocked } = usePermit()
  const { data, error, refetch } = usePermitted('groups:read', groupQuery(id))
  if (!data) return <MissingObject noun="group" parent={PARENT} error={error} refetch={refetch} />
  const group = data.value
  return (
    <ObjectPage
      noun="group"
      parent={PARENT}
      id={id}
      title={group.name}
      get={contracts.groups.get}
      resource={groupResource}
      edit={{ blocked: blocked('groups:update') }}
      remove={{
        blocked: may('groups:delete') ? undefined : 'groups:delete',
        dialog: (close, leave) => <DeleteGroup group={group} onClose={close} onDone={leave} />,
      }}
      strip={[
        ['Members', formatCount(group.member_count)],
        ['Created', <TimeAgo key="created" at={group.created_at} />],
        ['Changed', <TimeAgo key="updated" at={group.updated_at} />],
      ]}
      side={{ audited: 'group', related: null }}
      tabs={[
        { id: 'overview', text: 'Overview', content: <Overview group={group} /> },
        {
          id: 'members',
          text: 'Members',
          count: group.member_count,
          content: <MembersTab group={group} />,
          isFull: true,
          hasKeys: true,
        },
      ]}
      body={(content) => (
        <PageBody>
          {content}
          {may('audit:list') && (
            <p className={css.more}>
              <Link to="/audit" search={{ resource: 'group', resource_id: id }} className="link">
                Changes to {group.name}
              </Link>
            </p>
          )}
        </PageBody>
      )}
    />
  )
}
