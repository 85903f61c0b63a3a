<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en">
<context>
    <name>Format</name>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>One waits</numerusform>
            <numerusform>%n wait</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n readers</source>
        <translation>
            <numerusform>%n reader</numerusform>
            <numerusform>%n readers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n holders</source>
        <translation>
            <numerusform>%n holder</numerusform>
            <numerusform>%n holders</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LockSentence</name>
    <message numerus="yes">
        <source>All holds that were read have lapsed, and %n entries were not read: whether it is held is not known.</source>
        <translation>
            <numerusform>All holds that were read have lapsed, and one entry was not read: whether it is held is not known.</numerusform>
            <numerusform>All holds that were read have lapsed, and %n entries were not read: whether it is held is not known.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %n levels deep</source>
        <translation>
            <numerusform>, one level deep</numerusform>
            <numerusform>, %n levels deep</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It renewed %n times</source>
        <translation>
            <numerusform>It renewed once</numerusform>
            <numerusform>It renewed %n times</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At least %n wait</source>
        <translation>
            <numerusform>At least %n waits</numerusform>
            <numerusform>At least %n wait</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>One waits</numerusform>
            <numerusform>%n wait</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, with %n permits</source>
        <translation>
            <numerusform>, with %n permit</numerusform>
            <numerusform>, with %n permits</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message numerus="yes">
        <source>%n facts</source>
        <translation>
            <numerusform>one fact</numerusform>
            <numerusform>%n facts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and one more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and at most %n more holds</source>
        <translation>
            <numerusform>and at most 1 more hold</numerusform>
            <numerusform>and at most %n more holds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n holders</source>
        <translation>
            <numerusform>one holder</numerusform>
            <numerusform>%n holders</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>one node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Somebody waits for %n of them.</source>
        <translation>
            <numerusform>Somebody waits for one of them.</numerusform>
            <numerusform>Somebody waits for %n of them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of them never expire.</source>
        <translation>
            <numerusform>One of them never expires.</numerusform>
            <numerusform>%n of them never expire.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n are gone meanwhile.</source>
        <translation>
            <numerusform>One is gone meanwhile.</numerusform>
            <numerusform>%n are gone meanwhile.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Nobody holds %n of them.</source>
        <translation>
            <numerusform>Nobody holds one of them.</numerusform>
            <numerusform>Nobody holds %n of them.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::DetailsPane</name>
    <message numerus="yes">
        <source>%n locks selected</source>
        <translation>
            <numerusform>One lock selected</numerusform>
            <numerusform>%n locks selected</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::EmptyPage</name>
    <message numerus="yes">
        <source>%n doubtful rows match. They look more like data than like locks, and are hidden.</source>
        <translation>
            <numerusform>One doubtful row matches. It looks more like data than like a lock, and is hidden.</numerusform>
            <numerusform>%n doubtful rows match. They look more like data than like locks, and are hidden.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows are of nodes that are not followed: whether they match is not known.</source>
        <translation>
            <numerusform>One row is of a node that is not followed: whether it matches is not known.</numerusform>
            <numerusform>%n rows are of nodes that are not followed: whether they match is not known.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locks are known; this view and this filter let none of them through.</source>
        <translation>
            <numerusform>One lock is known; this view and this filter do not let it through.</numerusform>
            <numerusform>%n locks are known; this view and this filter let none of them through.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::StatusLine</name>
    <message numerus="yes">
        <source>%n divergences since start</source>
        <translation>
            <numerusform>one divergence since start</numerusform>
            <numerusform>%n divergences since start</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>audit: %n locks written</source>
        <translation>
            <numerusform>audit: one lock written</numerusform>
            <numerusform>audit: %n locks written</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>one node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ToolBar</name>
    <message numerus="yes">
        <source>Held still, %n changes wait</source>
        <translation>
            <numerusform>Held still, one change waits</numerusform>
            <numerusform>Held still, %n changes wait</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReleaseMany</name>
    <message numerus="yes">
        <source>The audit log has no outcome of %n holds: %1</source>
        <translation>
            <numerusform>The audit log has no outcome of %n hold: %1</numerusform>
            <numerusform>The audit log has no outcome of %n holds: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks the token lies on too few masters, or under too few keys: unless their clients ask fewer of them, nobody holds them by it, and what is told of their holders is of whoever took it there. The first is %1.</source>
        <translation>
            <numerusform>Of one lock the token lies on too few masters, or under too few keys: unless its clients ask fewer of them, nobody holds it by that, and what is told of its holder is of whoever took it there. It is %1.</numerusform>
            <numerusform>Of %n locks the token lies on too few masters, or under too few keys: unless their clients ask fewer of them, nobody holds them by it, and what is told of their holders is of whoever took it there. The first is %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks not every hold was read: whether some of the rest are of this holder is not known. The first is %1.</source>
        <translation>
            <numerusform>Of one lock not every hold was read: whether some of the rest are of this holder is not known. It is %1.</numerusform>
            <numerusform>Of %n locks not every hold was read: whether some of the rest are of this holder is not known. The first is %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks not every hold was read, and those that were not stay as they are. The first is %1, with %2 of them.</source>
        <translation>
            <numerusform>Of one lock not every hold was read, and those that were not stay as they are. It is %1, with %2 of them.</numerusform>
            <numerusform>Of %n locks not every hold was read, and those that were not stay as they are. The first is %1, with %2 of them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks not every hold was read, and those that were not stay: release these locks again. The first is %1, with %2 of them.</source>
        <translation>
            <numerusform>Of one lock not every hold was read, and those that were not stay: release it again. It is %1, with %2 of them.</numerusform>
            <numerusform>Of %n locks not every hold was read, and those that were not stay: release these locks again. The first is %1, with %2 of them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n leases are shortened, though not on every master. The first is that of %1, longer or not known on %2 of %3, too few to keep anybody out.</source>
        <translation>
            <numerusform>One lease is shortened, though not on every master: that of %1, longer or not known on %2 of %3, too few to keep anybody out.</numerusform>
            <numerusform>%n leases are shortened, though not on every master. The first is that of %1, longer or not known on %2 of %3, too few to keep anybody out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locks are free, though not on every master. The first is %1, there or not known on %2 of %3, too few to keep anybody out.</source>
        <translation>
            <numerusform>One lock is free, though not on every master: %1, there or not known on %2 of %3, too few to keep anybody out.</numerusform>
            <numerusform>%n locks are free, though not on every master. The first is %1, there or not known on %2 of %3, too few to keep anybody out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This holder&apos;s holds of %n locks are ended, though not on every master. The first is %1, there or not known on %2 of %3, too few to hold it.</source>
        <translation>
            <numerusform>This holder&apos;s holds of one lock are ended, though not on every master: %1, there or not known on %2 of %3, too few to hold it.</numerusform>
            <numerusform>This holder&apos;s holds of %n locks are ended, though not on every master. The first is %1, there or not known on %2 of %3, too few to hold it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n leases would end in %1, unless they are renewed. Nothing has been changed.</source>
        <translation>
            <numerusform>One lease would end in %1, unless it is renewed. Nothing has been changed.</numerusform>
            <numerusform>%n leases would end in %1, unless they are renewed. Nothing has been changed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locks would be freed. Nothing has been changed.</source>
        <translation>
            <numerusform>One lock would be freed. Nothing has been changed.</numerusform>
            <numerusform>%n locks would be freed. Nothing has been changed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The leases of %n locks would stay as they are on some masters. The first is that of %1, on %2: %3 of %4, too few to keep anybody out.</source>
        <translation>
            <numerusform>The lease of one lock would stay as it is on some masters: that of %1, on %2: %3 of %4, too few to keep anybody out.</numerusform>
            <numerusform>The leases of %n locks would stay as they are on some masters. The first is that of %1, on %2: %3 of %4, too few to keep anybody out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locks would stay on some masters. The first is %1, on %2: %3 of %4, too few to keep anybody out.</source>
        <translation>
            <numerusform>One lock would stay on some masters: %1, on %2: %3 of %4, too few to keep anybody out.</numerusform>
            <numerusform>%n locks would stay on some masters. The first is %1, on %2: %3 of %4, too few to keep anybody out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This holder&apos;s holds of %n locks would be ended. Nothing has been changed.</source>
        <translation>
            <numerusform>This holder&apos;s holds of one lock would be ended. Nothing has been changed.</numerusform>
            <numerusform>This holder&apos;s holds of %n locks would be ended. Nothing has been changed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n more only some holds would be ended, and the rest stay.</source>
        <translation>
            <numerusform>Of one more only some holds would be ended, and the rest stay.</numerusform>
            <numerusform>Of %n more only some holds would be ended, and the rest stay.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n locks only some holds would be ended, and the rest stay. Nothing has been changed.</source>
        <translation>
            <numerusform>Of one lock only some holds would be ended, and the rest stay. Nothing has been changed.</numerusform>
            <numerusform>Of %n locks only some holds would be ended, and the rest stay. Nothing has been changed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n would stay as they are: what stands in the way comes first.</source>
        <translation>
            <numerusform>One would stay as it is: what stands in the way comes first.</numerusform>
            <numerusform>%n would stay as they are: what stands in the way comes first.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Shorten the leases of %n locks to %1?</source>
        <translation>
            <numerusform>Shorten the lease of one lock to %1?</numerusform>
            <numerusform>Shorten the leases of %n locks to %1?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Release %n locks?</source>
        <translation>
            <numerusform>Release one lock?</numerusform>
            <numerusform>Release %n locks?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Release this holder&apos;s holds of %n locks?</source>
        <translation>
            <numerusform>Release this holder&apos;s holds of 1 lock?</numerusform>
            <numerusform>Release this holder&apos;s holds of %n locks?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n leases shortened</source>
        <translation>
            <numerusform>%1 of 1 lease shortened</numerusform>
            <numerusform>%1 of %n leases shortened</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n locks released</source>
        <translation>
            <numerusform>%1 of 1 lock released</numerusform>
            <numerusform>%1 of %n locks released</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This holder&apos;s holds released: of %1 of %n locks</source>
        <translation>
            <numerusform>This holder&apos;s holds released: of %1 of %n locks</numerusform>
            <numerusform>This holder&apos;s holds released: of %1 of %n locks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of %1 lock names (%2 first)</source>
        <comment>how many of how many, a name</comment>
        <translation>
            <numerusform>one of %1 lock names (%2 first)</numerusform>
            <numerusform>%n of %1 lock names (%2 first)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>And %n other risks: the tooltip of each line has all of its own.</source>
        <translation>
            <numerusform>And one other risk: the tooltip of each line has all of its own.</numerusform>
            <numerusform>And %n other risks: the tooltip of each line has all of its own.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows have no holder to release (%1).</source>
        <translation>
            <numerusform>One row has no holder to release (%1).</numerusform>
            <numerusform>%n rows have no holder to release (%1).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows are doubtful, and are not released together with others (%1).</source>
        <translation>
            <numerusform>One row is doubtful, and is not released together with others (%1).</numerusform>
            <numerusform>%n rows are doubtful, and are not released together with others (%1).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and one more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SincePlan</name>
    <message numerus="yes">
        <source>By now %n wait for it: who comes next may have changed.</source>
        <translation>
            <numerusform>By now one waits for it: who comes next may have changed.</numerusform>
            <numerusform>By now %n wait for it: who comes next may have changed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Since then %n of them were renewed.</source>
        <translation>
            <numerusform>Since then one of them was renewed.</numerusform>
            <numerusform>Since then %n of them were renewed.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::AuditCheckBox</name>
    <message numerus="yes">
        <source>Chain sound: %n records checked at %1; what was asked and has no outcome here: %2</source>
        <translation>
            <numerusform>Chain sound: one record checked at %1; what was asked and has no outcome here: %2</numerusform>
            <numerusform>Chain sound: %n records checked at %1; what was asked and has no outcome here: %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chain sound: %n records checked at %1; what was asked and what came of it are one each, and one row below</source>
        <translation>
            <numerusform>Chain sound: one record checked at %1</numerusform>
            <numerusform>Chain sound: %n records checked at %1; what was asked and what came of it are one each, and one row below</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ReleaseTableModel</name>
    <message numerus="yes">
        <source>%n wait: whoever tries first gets it</source>
        <translation>
            <numerusform>one waits: whoever tries first gets it</numerusform>
            <numerusform>%n wait: whoever tries first gets it</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>this hold ends; %n wait</source>
        <translation>
            <numerusform>this hold ends; one waits</numerusform>
            <numerusform>this hold ends; %n wait</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>free after all %n holds of it: %1</source>
        <translation>
            <numerusform>free after its hold: %1</numerusform>
            <numerusform>free after all %n holds of it: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>one waits</numerusform>
            <numerusform>%n wait</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ReleaseManyView</name>
    <message numerus="yes">
        <source>Release %n locks</source>
        <translation>
            <numerusform>Release 1 lock</numerusform>
            <numerusform>Release %n locks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unlock writing and release %n</source>
        <translation>
            <numerusform>Unlock writing and release 1</numerusform>
            <numerusform>Unlock writing and release %n</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unlock writing and release holds of %n</source>
        <translation>
            <numerusform>Unlock writing and release holds of 1</numerusform>
            <numerusform>Unlock writing and release holds of %n</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Release holds of %n locks</source>
        <translation>
            <numerusform>Release holds of 1 lock</numerusform>
            <numerusform>Release holds of %n locks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Shorten %n leases</source>
        <translation>
            <numerusform>Shorten 1 lease</numerusform>
            <numerusform>Shorten %n leases</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unlock writing and shorten %n</source>
        <translation>
            <numerusform>Unlock writing and shorten 1</numerusform>
            <numerusform>Unlock writing and shorten %n</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::AuditModel</name>
    <message numerus="yes">
        <source>%n locks</source>
        <translation>
            <numerusform>one lock</numerusform>
            <numerusform>%n locks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and one more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Truth</name>
    <message numerus="yes">
        <source>%n masters of the cluster not watched</source>
        <translation>
            <numerusform>One master of the cluster not watched</numerusform>
            <numerusform>%n masters of the cluster not watched</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::HealthBar</name>
    <message numerus="yes">
        <source>locks and %n doubtful</source>
        <translation>
            <numerusform>locks and one doubtful</numerusform>
            <numerusform>locks and %n doubtful</numerusform>
        </translation>
    </message>
</context>
</TS>
