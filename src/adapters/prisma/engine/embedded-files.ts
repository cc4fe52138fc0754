// The files of the embedded database: readable by their owner only, and on the disk when a commit is answered.
import { fdatasyncSync } from 'node:fs'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type Attributes = { mode?: number }

/** The parts of Emscripten's file system that are needed here. */
type EmscriptenNodeFS = {
  readonly node_ops: {
    setattr(node: unknown, attributes: Attributes): void
    mknod(parent: unknown, name: string, mode: number, device: number): unknown
  }
  readonly stream_ops: {
    setattr(stream: unknown, attributes: Attributes): void
    fsync?: (stream: { nfd: number }) => number
  }
}
type WithNodeFS = { readonly NODEFS: EmscriptenNodeFS }

/** PGlite creates its files with mode 0666, and sets this mode again where the process's umask removes bits. */
export class PrivateFS extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const adapt = (module: object) => {
      assertNodeFS(module)
      this.adapt(module.NODEFS)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), adapt] } }
  }

  protected adapt({ node_ops: nodes, stream_ops: streams }: EmscriptenNodeFS): void {
    const { setattr, mknod } = nodes
    nodes.setattr = (node, attributes) => setattr(node, withOwnMode(attributes))
    nodes.mknod = (parent, name, mode, device) => mknod(parent, name, ownerOnly(mode), device)
    const { setattr: setOpen } = streams
    streams.setattr = (stream, attributes) => setOpen(stream, withOwnMode(attributes))
  }
}

/** PGlite does not flush to the disk; here a commit is on the disk before it is answered. */
export class DurableFS extends PrivateFS {
  protected override adapt(nodeFS: EmscriptenNodeFS): void {
    super.adapt(nodeFS)
    nodeFS.stream_ops.fsync = ({ nfd }) => {
      fdatasyncSync(nfd)
      return 0
    }
  }
}

const ownerOnly = (mode: number): number => mode & ~0o077

const withOwnMode = (attributes: Attributes): Attributes =>
  attributes.mode === undefined ? attributes : { ...attributes, mode: ownerOnly(attributes.mode) }

function assertNodeFS(module: object): asserts module is WithNodeFS {
  if (!('NODEFS' in module)) throw new Error('this PGlite has no file system to adapt')
}

// The engine of the embedded database, over the files of a directory.

/** PostgreSQL initializes its default of 128 MB at every start; the file cache of the system is as good. */
const SHARED_BUFFERS = ['-c', 'shared_buffers=16MB']
/** Statistics of a table read at most 3,000 rows, not 30,000: no request is answered meanwhile. */
const STATISTICS = ['-c', 'default_statistics_target=10']
const NO_FSYNC = '-F'

/** Opens the engine, and creates its files where there are none. */
export function openPGlite(options: PGliteOptions, { durable }: { readonly durable: boolean }): Promise<PGlite> {
  const startParams = [
    ...PGlite.defaultStartParams.filter((param) => !(durable && param === NO_FSYNC)),
    ...(durable ? ['-c', 'wal_sync_method=fsync'] : []),
    ...SHARED_BUFFERS,
    ...STATISTICS,
  ]
  return PGlite.create({ ...options, startParams })
}
