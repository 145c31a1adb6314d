// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import CompilerPluginSupport
import PackageDescription

// One target a layer; a target imports only targets above it in this list. The compiler checks it when it is
// called with `--explicit-target-dependency-import-check error`, as `.ci/run` does.
let package = Package(
  name: "Roost",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Roost", targets: ["Roost"]),
    .library(name: "RoostSQLite", targets: ["RoostSQLite"]),
    .library(name: "RoostPostgreSQL", targets: ["RoostPostgreSQL"]),
    .library(name: "RoostLMDB", targets: ["RoostLMDB"]),
    .library(name: "RoostInMemory", targets: ["RoostInMemory"]),
    .library(name: "RoostSQL", targets: ["RoostSQL"]),
    .library(name: "RoostKeyValue", targets: ["RoostKeyValue"]),
    .library(name: "RoostCoreDataNames", targets: ["RoostCoreDataNames"]),
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "RoostSendableContexts", targets: ["RoostSendableContexts"]),
    .library(name: "RoostConformance", targets: ["RoostConformance"]),
    .library(name: "RoostCommandLine", targets: ["RoostCommandLine"]),
    .executable(name: "roost", targets: ["RoostCommand"]),
    .plugin(name: "RoostModelPlugin", targets: ["RoostModelPlugin"]),
    .executable(name: "roost-conformance", targets: ["RoostConformanceCommand"]),
  ],
  targets: [
    // What Swift's runtime has and the language does not.
    .systemLibrary(name: "CSwiftRuntime", path: "Sources/CSwiftRuntime"),
    // What data looks like.
    .target(name: "RoostModel", dependencies: ["CSwiftRuntime"]),
    // What is asked.
    .target(name: "RoostQuery", dependencies: ["RoostModel"]),
    // The contract of a store.
    .target(name: "RoostStore", dependencies: ["RoostModel", "RoostQuery"]),
    // Which store answers.
    .target(
      name: "RoostCoordinator", dependencies: ["RoostModel", "RoostQuery", "RoostStore"]),
    // The compiler plugin behind `@Entity`, and what it does. No test depends on the plugin itself: the tests, and all
    // that they are linked with, would be compiled twice, once for the host.
    .target(name: "RoostMacroExpansion", path: "Sources/RoostMacros", exclude: ["Plugin"]),
    .macro(
      name: "RoostMacros", dependencies: ["RoostMacroExpansion"], path: "Sources/RoostMacros/Plugin"
    ),
    // The object graph.
    .target(
      name: "RoostObjects",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostMacros",
        "CSwiftRuntime",
      ]),
    // The container, and results that follow the graph.
    .target(
      name: "RoostContainers",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
      ]),
    // Mapping models, and migration in stages.
    .target(
      name: "RoostMigration",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
        "RoostContainers",
      ]),
    // Records as files, and files as records.
    .target(
      name: "RoostExchange",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
        "RoostContainers",
      ]),
    // What users import: all of the above, and what Core Data does not have.
    .target(
      name: "Roost",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
        "RoostContainers", "RoostMigration", "RoostExchange",
      ]),
    // What a conformance case is written with.
    .target(
      name: "RoostConformanceKit",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
      ]),
    // Random operations and histories with their models, and a store without an engine.
    .target(
      name: "RoostSimulation",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
        "RoostConformanceKit",
      ]),
    // What every store must do, case by case.
    .target(
      name: "RoostConformanceCases",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects", "Roost",
        "RoostExchange", "RoostConformanceKit", "RoostSimulation",
      ]),
    // Runs the cases on a store: what authors of stores import.
    .target(
      name: "RoostConformance",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
        "RoostConformanceKit", "RoostSimulation", "RoostConformanceCases",
      ]),

    // SQL stores.
    .target(
      name: "RoostSQL", dependencies: ["RoostModel", "RoostQuery", "RoostStore"],
      path: "Backends/SQL/RoostSQL"),
    .systemLibrary(
      name: "CSQLite", path: "Backends/SQLite/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "RoostSQLite",
      dependencies: ["RoostModel", "RoostQuery", "RoostStore", "RoostSQL", "CSQLite"],
      path: "Backends/SQLite/RoostSQLite"),
    .systemLibrary(
      name: "CPostgreSQL", path: "Backends/PostgreSQL/CPostgreSQL", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "RoostPostgreSQL",
      dependencies: ["RoostModel", "RoostQuery", "RoostStore", "RoostSQL", "CPostgreSQL"],
      path: "Backends/PostgreSQL/RoostPostgreSQL"),

    // Key-value stores.
    .target(
      name: "RoostKeyValue", dependencies: ["RoostModel", "RoostQuery", "RoostStore"],
      path: "Backends/KeyValue/RoostKeyValue"),
    .target(
      name: "RoostInMemory",
      dependencies: ["RoostModel", "RoostQuery", "RoostStore", "RoostKeyValue"],
      path: "Backends/InMemory/RoostInMemory"),
    .systemLibrary(
      name: "CLMDB", path: "Backends/LMDB/CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(
      name: "RoostLMDB",
      dependencies: ["RoostModel", "RoostQuery", "RoostStore", "RoostKeyValue", "CLMDB"],
      path: "Backends/LMDB/RoostLMDB"),

    // Core Data's names and signatures, for code that was written for it.
    .target(
      name: "RoostCoreDataNames",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostObjects",
        "RoostContainers", "RoostMigration", "RoostSQLite", "RoostInMemory",
      ]),
    // The names as a module that is called like Core Data's, for systems that have none of their own.
    .target(name: "CoreData", dependencies: ["RoostCoreDataNames"]),
    // Contexts that any code may hand on, as in Core Data, for programs that ask for it by an import.
    .target(
      name: "RoostSendableContexts", dependencies: ["RoostObjects"]),

    // The words of a command line: for all programs of the repository.
    .target(name: "RoostCommandLine"),
    // The server of `roost browse`: of the command alone, no library product depends on it.
    .systemLibrary(
      name: "CMicroHTTPD", path: "Sources/CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    // What the program `roost` does, and the program.
    .target(
      name: "RoostCommandKit",
      dependencies: [
        "RoostCommandLine", "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator",
        "RoostObjects", "RoostMigration", "RoostExchange", "Roost", "RoostInMemory", "RoostLMDB",
        "RoostSQLite", "RoostPostgreSQL", "CMicroHTTPD",
      ],
      // The page of the browser is part of the program, which is one file.
      resources: [
        .embedInCode("Page/page.html"), .embedInCode("Page/page.css"),
        .embedInCode("Page/page.js"), .embedInCode("Templates/Manifest.txt"),
        .embedInCode("Templates/Place.txt"), .embedInCode("Templates/Contents.txt"),
        .embedInCode("Templates/Driver.txt"), .embedInCode("Templates/Engine.txt"),
        .embedInCode("Templates/State.txt"), .embedInCode("Templates/Tests.txt"),
      ]),
    .executableTarget(
      name: "RoostCommand", dependencies: ["RoostCommandLine", "RoostCommandKit"]),

    // `swift package roost-model`: compares the model of a program with its lock file.
    .plugin(
      name: "RoostModelPlugin",
      capability: .command(
        intent: .custom(
          verb: "roost-model",
          description: "Compares the model of a program with its lock file, or locks it."),
        permissions: [
          .writeToPackageDirectory(
            reason: "“lock” writes the lock file of the model, and stores of its releases.")
        ]),
      path: "Plugins/RoostModel"),

    // Runs the suite on the stores of this package, and prints the report.
    .executableTarget(
      name: "RoostConformanceCommand",
      dependencies: [
        "RoostCommandLine", "RoostStore", "RoostConformance", "RoostInMemory", "RoostLMDB",
        "RoostSQLite", "RoostPostgreSQL",
      ]),

    .testTarget(name: "RoostModelTests", dependencies: ["RoostModel"]),
    .testTarget(name: "RoostQueryTests", dependencies: ["RoostModel", "RoostQuery"]),
    .testTarget(
      name: "RoostStoreTests",
      dependencies: ["RoostModel", "RoostQuery", "RoostStore", "TestWaiting"]),
    .testTarget(
      name: "RoostCoordinatorTests",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostInMemory",
        "RoostLMDB", "RoostSQLite", "TestWaiting",
      ]),
    .testTarget(
      name: "RoostObjectsTests",
      // The last three are imported by the programs that these tests compile.
      dependencies: [
        "Roost", "RoostContainers", "RoostInMemory", "RoostSQLite", "RoostCoreDataNames",
        "CoreData", "RoostSendableContexts", "TestWaiting",
      ]),
    .testTarget(
      name: "RoostCoreDataNamesTests",
      dependencies: [
        "RoostCoreDataNames", "CoreData", "Roost", "RoostConformance", "TestWaiting",
      ],
      resources: [.copy("Ported/Library.xcdatamodeld")]),
    .testTarget(
      name: "RoostMigrationTests",
      dependencies: [
        "Roost", "RoostModel", "RoostQuery", "RoostStore", "RoostObjects", "RoostMigration",
        "RoostCoordinator", "RoostSQLite", "RoostInMemory", "RoostLMDB", "RoostPostgreSQL",
        "PrivatePostgreSQL", "CSQLite",
      ]),
    .testTarget(
      name: "RoostExchangeTests",
      dependencies: ["Roost", "RoostModel", "RoostExchange", "RoostInMemory", "RoostSQLite"]),
    .testTarget(name: "RoostMacrosTests", dependencies: ["RoostMacroExpansion"]),
    .testTarget(
      name: "RoostSQLTests",
      dependencies: ["RoostModel", "RoostQuery", "RoostStore", "RoostSQL", "TestEvolution"]),
    .testTarget(
      name: "RoostSQLiteTests",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostSQL", "RoostSQLite", "CSQLite",
        "TestFolders", "TestEvolution", "TestWaiting",
      ]),
    // Pairs of versions of a model with records, for the stores that follow their model.
    .target(
      name: "TestEvolution", dependencies: ["RoostModel", "RoostQuery", "RoostStore"],
      path: "Tests/TestEvolution"),
    // Watches what happens to the names in a folder, for the stores that keep files.
    .target(name: "TestFolders", path: "Tests/TestFolders"),
    // Waits until a condition holds, and not forever, for the tests of what threads and processes do side by side.
    .target(name: "TestWaiting", path: "Tests/TestWaiting"),
    // A server for the tests that need one.
    .target(name: "PrivatePostgreSQL", path: "Tests/PrivatePostgreSQL"),
    .testTarget(
      name: "RoostPostgreSQLTests",
      dependencies: [
        "PrivatePostgreSQL", "CPostgreSQL", "TestEvolution", "TestWaiting",
        "RoostModel", "RoostQuery", "RoostStore", "RoostCoordinator", "RoostSQL",
        "RoostPostgreSQL", "RoostInMemory", "RoostConformance", "Roost",
      ]),
    .testTarget(
      name: "RoostKeyValueTests",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostKeyValue", "RoostInMemory", "RoostLMDB",
      ]),
    .testTarget(
      name: "RoostLMDBTests",
      dependencies: [
        "RoostModel", "RoostQuery", "RoostStore", "RoostKeyValue", "RoostLMDB", "CLMDB",
        "CrashWriter", "TestFolders", "TestWaiting",
      ]),
    // A program that is killed while it saves, and the tests that kill it.
    .executableTarget(
      name: "CrashWriter",
      dependencies: [
        "Roost", "RoostConformance", "RoostConformanceKit", "RoostInMemory", "RoostLMDB",
        "RoostPostgreSQL", "RoostSQLite", "CLMDB", "CPostgreSQL", "CSQLite",
      ],
      path: "Tests/CrashWriter"),
    .testTarget(name: "CrashTests", dependencies: ["CrashWriter", "PrivatePostgreSQL"]),
    // A program in which calls to the system fail and are recorded, and the tests that run it. They do not depend on
    // it: what makes its calls fail must not be linked into the tests.
    .target(name: "FaultShim", path: "Tests/FaultShim"),
    .executableTarget(
      name: "FaultRunner",
      dependencies: [
        "FaultShim", "Roost", "RoostModel", "RoostMigration", "RoostSimulation", "RoostInMemory",
        "RoostLMDB", "RoostPostgreSQL", "RoostSQL", "RoostSQLite",
      ],
      path: "Tests/FaultRunner"),
    .testTarget(name: "FaultTests", dependencies: ["PrivatePostgreSQL"]),
    .testTarget(
      name: "RoostConformanceTests",
      dependencies: [
        "RoostConformance", "RoostConformanceKit", "RoostConformanceCases", "RoostSimulation",
        "Roost", "RoostInMemory", "RoostLMDB", "RoostSQLite", "RoostPostgreSQL",
        "PrivatePostgreSQL",
      ]),
    .testTarget(
      name: "RoostCommandTests",
      dependencies: [
        "RoostCommandLine", "RoostCommandKit", "Roost", "RoostCoordinator", "RoostInMemory",
        "RoostLMDB", "RoostSQLite", "RoostPostgreSQL", "PrivatePostgreSQL", "CSQLite",
        "CrashWriter", "RoostCommand",
      ]),
    // A program that puts faults into a copy of the package and reports those that no test notices, and its tests.
    .executableTarget(name: "MutantRunner", path: "Tests/MutantRunner"),
    .testTarget(name: "MutantTests", dependencies: ["MutantRunner"]),
    .testTarget(name: "TidyTests", dependencies: ["RoostConformance"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets
where ![.system, .plugin].contains(target.type) && target.name != "FaultShim" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}

// These tests are programs as they were written for Core Data.
for target in package.targets where target.name == "RoostCoreDataNamesTests" {
  target.swiftSettings = [.swiftLanguageMode(.v5)]
}
