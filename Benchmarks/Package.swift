// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "RoostBenchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "roost-bench", targets: ["roost-bench"]),
    .library(name: "RoostRecording", targets: ["RoostRecording"]),
  ],
  dependencies: [.package(name: "Roost", path: "../")],
  targets: [
    // The engines as they are, for the baselines.
    .systemLibrary(
      name: "CBenchSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CBenchLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .systemLibrary(
      name: "CBenchPostgreSQL", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    // A malloc that counts.
    .target(name: "CBenchAllocations"),
    // Requests to callgrind, which counts instructions.
    .target(name: "CBenchInstructions"),
    // Flushes that are counted and take their time.
    .target(name: "CBenchFlushes"),
    // What a program asks of a store, written down and played again.
    .target(name: "RoostRecording", dependencies: [.product(name: "Roost", package: "Roost")]),
    .target(
      name: "RoostBench",
      dependencies: [
        "RoostRecording",
        .product(name: "Roost", package: "Roost"),
        .product(name: "RoostCommandLine", package: "Roost"),
        .product(name: "RoostSQLite", package: "Roost"),
        .product(name: "RoostPostgreSQL", package: "Roost"),
        .product(name: "RoostLMDB", package: "Roost"),
        .product(name: "RoostInMemory", package: "Roost"),
        "CBenchSQLite", "CBenchLMDB", "CBenchPostgreSQL", "CBenchAllocations",
        "CBenchFlushes", "CBenchInstructions",
      ]),
    .executableTarget(
      name: "roost-bench", dependencies: ["RoostBench"], path: "Sources/RoostBenchCommand"),
    .testTarget(
      name: "RoostBenchTests",
      dependencies: [
        "RoostBench", "RoostRecording",
        .product(name: "Roost", package: "Roost"),
        .product(name: "RoostCommandLine", package: "Roost"),
        .product(name: "RoostSQLite", package: "Roost"),
        .product(name: "RoostInMemory", package: "Roost"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
