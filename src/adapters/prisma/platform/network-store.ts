// The stored state of the service: the chain and the seed of each network, and its own settings.
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { NetworkStore, SettingStore } from '#ports/platform.ts'

export function createNetworkStore(prisma: PrismaClient): NetworkStore {
  return {
    async remember(name, identity) {
      await prisma.network.createMany({ data: [{ name, ...identity }], skipDuplicates: true })
      const { genesisHash, seedFingerprint } = await prisma.network.findUniqueOrThrow({ where: { name } })
      return { genesisHash, seedFingerprint }
    },
  }
}

export function createSettingStore(prisma: PrismaClient): SettingStore {
  return {
    read: async (key) => (await prisma.setting.findUnique({ where: { key } }))?.value ?? null,
    async write(key, value) {
      const json = JSON.parse(JSON.stringify(value))
      await prisma.setting.upsert({ where: { key }, create: { key, value: json }, update: { value: json } })
    },
  }
}
