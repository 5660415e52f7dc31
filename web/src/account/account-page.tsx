/** One's own account: who one is, what one may do, the password, the keys, where one is signed in. */
import { useNavigate } from '@tanstack/react-router'
import { clearUserData } from '../api/queries.ts'
import { GrantsCard } from '../oauth/grants-card.tsx'
import { listGrants, useMe } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { formatMoment } from '../ui/format.ts'
import { Badge, Card, CopyText, Facts, Tag } from '../ui/primitives.tsx'
import css from './account.module.css'
import { FactorsCard } from './factors-card.tsx'
import { IdentitiesCard } from './identities-card.tsx'
import { KeysCard } from './keys-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

const ProfileCard = () => {
  const me = useMe()
  const grants = listGrants(me)
  return (
    <Card title="You">
      <Facts
        facts={[
          ['User name', me.username],
          ['Full name', me.full_name],
          ['E-mail', me.email],
          [
            'Roles',
            grants.length === 0
              ? ''
              : grants.map((grant) => (
                  <Badge key={grant} tone="info">
                    {grant}
                  </Badge>
                )),
          ],
          ['ID', <CopyText key="id" text={me.id} label="ID" />],
          ['Last sign-in', me.last_login_at === null ? '' : formatMoment(me.last_login_at)],
        ]}
      />
    </Card>
  )
}

/** `devices` -> its actions, in the order of the catalog. */
const splitByResource = (permissions: readonly string[]): readonly (readonly [string, readonly string[]])[] => {
  const groups = Map.groupBy(permissions, (name) => name.split(':')[0] ?? '')
  return [...groups].map(([resource, names]) => [resource, names.map((name) => name.split(':')[1] ?? '')])
}

const PermissionsCard = () => {
  const { permissions } = useMe()
  return (
    <Card title={`Your permissions · ${permissions.length}`}>
      <dl className={css.permissions}>
        {splitByResource(permissions).map(([resource, actions]) => (
          <div key={resource}>
            <dt>{resource}</dt>
            <dd>
              {actions.map((action) => (
                <Tag key={action}>{action}</Tag>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

export const AccountPage = () => {
  const navigate = useNavigate()
  const signedOut = async () => {
    await navigate({ to: '/login' })
    clearUserData()
  }
  return (
    <>
      <PageHead />
      <PageBody>
        <div className={css.two}>
          <ProfileCard />
          <PasswordCard onChanged={() => void signedOut()} />
        </div>
        <FactorsCard />
        <IdentitiesCard />
        <KeysCard />
        <GrantsCard />
        <SessionsCard />
        <PermissionsCard />
      </PageBody>
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}
