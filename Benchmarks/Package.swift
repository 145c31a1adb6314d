// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "RoostBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Roost", path: "../")],
  targets: [
    .systemLibrary(name: "CBenchSQLite", pkgConfig: "sqlite3"),
    .executableTarget(
      name: "roost-bench",
      dependencies: [
        .product(name: "Roost", package: "Roost"),
        .product(name: "RoostSQLite", package: "Roost"),
        .product(name: "RoostInMemory", package: "Roost"),
        "CBenchSQLite",
      ],
      path: "Sources/RoostBench"),
  ],
  swiftLanguageModes: [.v6]
)
