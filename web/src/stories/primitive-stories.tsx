/** Buttons, badges, meters and other small components. */
import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { Badge, CopyText, Facts, Figure, Meter, Skeleton, Tags, TimeAgo, type Tone } from '../ui/primitives.tsx'
import { Tabs } from '../ui/tabs.tsx'
import css from './stories.module.css'

const TONES: readonly Tone[] = ['ok', 'warn', 'bad', 'info', 'idle']
const FILLS = [0, 42, 80, 97, 100]
const LONG = 'a name that is longer than there is room for it, and is cut where the room ends'

export const PrimitiveStories = () => (
  <>
    <div className={css.line}>
      <Button look="primary">
        <Plus size={15} aria-hidden="true" />
        Primary
      </Button>
      <Button>
        Usual<kbd>e</kbd>
      </Button>
      <Button look="danger">Danger</Button>
      <Button look="dangerFill">Danger, for certain</Button>
      <Button look="quiet">Quiet</Button>
      <Button isIcon aria-label="Delete">
        <Trash2 size={15} aria-hidden="true" />
      </Button>
      <Button disabled>Disabled</Button>
      <Button blocked="Needs the permission devices:create">Blocked, says why</Button>
    </div>
    <div className={css.line}>
      {TONES.map((tone) => (
        <Badge key={tone} tone={tone}>
          {tone}
        </Badge>
      ))}
      <Tags tags={['production', 'web', 'a b']} />
    </div>
    <div className={css.columns}>
      {FILLS.map((value) => (
        <Meter key={value} value={value} label={`${value} in use`} />
      ))}
    </div>
    <div className={css.line}>
      <TimeAgo at={new Date().toISOString()} />
      <TimeAgo at="2026-01-01T00:00:00.000Z" />
      <CopyText text="10.0.0.1" label="address" />
      <CopyText text={LONG} label="long text" />
    </div>
    <div className={css.columns}>
      <Figure label="A figure">1,048,576</Figure>
      <Figure label="On its way">
        <Skeleton />
      </Figure>
    </div>
    <Facts
      facts={[
        ['A fact', 'with its value'],
        ['Nothing', ''],
        ['Long', LONG],
      ]}
    />
    <Tabs
      label="Tabs"
      current="one"
      tabs={[
        { id: 'one', text: 'The one that is open' },
        { id: 'two', text: 'With a number', count: 1234 },
      ]}
    />
  </>
)
